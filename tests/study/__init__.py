"""Tests of the study side."""
