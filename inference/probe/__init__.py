"""Trying a model under each set of flags: what it takes, how fast it is, and which set to run it under."""
