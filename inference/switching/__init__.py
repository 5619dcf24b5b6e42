"""Which model the inference process has: chosen, changed by restart, put back, sent to sleep and woken."""
