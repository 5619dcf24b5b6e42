"""Everything about models and nothing about documents: service, gateway, catalogue, downloads, supervision."""
