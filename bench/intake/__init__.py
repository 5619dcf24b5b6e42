"""Measures intake and retrieval: reading, recognising, embedding, searching, and what kills leave behind."""
