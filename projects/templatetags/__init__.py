"""Template tags of the projects app."""
