"""Tests, mirroring the apps."""
