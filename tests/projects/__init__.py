"""Tests of the projects side."""
