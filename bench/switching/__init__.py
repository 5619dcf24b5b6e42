"""The benchmark of changing the model under questions."""
