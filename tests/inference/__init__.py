"""Tests of the inference side."""
