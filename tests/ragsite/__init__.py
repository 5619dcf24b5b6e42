"""Tests of the ragsite side."""
