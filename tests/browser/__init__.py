"""Tests of the browser side."""
