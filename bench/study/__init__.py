"""The benchmark of the study: what reading ahead costs, what it leaves, and what it survives."""
