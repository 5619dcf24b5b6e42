"""The engine's benchmark: what the model service costs, and what it promises, in figures."""
