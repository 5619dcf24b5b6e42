"""Passports: what a document is, found by rules alone, in milliseconds and without a model."""
