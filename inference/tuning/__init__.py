"""How a model runs on this machine: what is automatic and why, what a person sets instead, and what was measured."""
