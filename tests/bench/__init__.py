"""Tests of the benchmark's pure parts."""
