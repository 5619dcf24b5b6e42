"""What people own and see: projects, documents, conversations, intake, retrieval and answering."""
