"""The benchmark of answering: every question of a set, asked before and after reading ahead, beside plain prompting."""
