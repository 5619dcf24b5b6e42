"""An OpenAI-compatible server in place of the local model service: which one, what it can do, and speaking with it."""
