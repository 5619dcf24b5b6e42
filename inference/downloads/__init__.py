"""Model files fetched in the background: rows that a person makes, and the process that works on them."""
