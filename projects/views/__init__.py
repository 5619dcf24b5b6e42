"""The pages of the projects app; each view parses, authorises, makes one call and renders."""
