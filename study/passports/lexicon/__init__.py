"""The words by which documents say what they are and name what they state."""

from study.passports.lexicon.rows import (
    Cue,
    Label,
    Type,
    any_of,
    normal,
    read_cues,
    read_labels,
    read_months,
    read_phrases,
    read_types,
)

__all__ = [
    "CUES",
    "LABELS",
    "LONGEST",
    "MONTHS",
    "PHRASES",
    "ROLES",
    "TYPES",
    "Cue",
    "Label",
    "Type",
    "any_of",
    "normal",
]

# A word that is several things is what the later file says: 'client' is a party and no number.
LABELS: dict[str, Label] = read_labels("forms.toml", "identifiers.toml", "dates.toml", "amounts.toml", "parties.toml")
LONGEST = max(label.count(" ") + 1 for label in LABELS)
"""Words in the longest label."""
ROLES: dict[str, Label] = {name: label for name, label in LABELS.items() if label.role}
TYPES: tuple[Type, ...] = read_types()
MONTHS: dict[str, int] = read_months()
CUES: tuple[Cue, ...] = read_cues()
PHRASES: dict[str, tuple[str, ...]] = read_phrases()
