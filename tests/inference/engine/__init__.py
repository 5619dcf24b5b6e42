"""Tests of the engine: its pure parts, and the whole with a real model."""
