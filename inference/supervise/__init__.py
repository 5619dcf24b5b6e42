"""Keeping the processes of one installation running: decisions, processes, status, and the loop that joins them."""
