"""Words that say nothing about what is looked for, in the languages that people ask in most.

Left out on purpose: words of one language that carry meaning in another ('war', 'die', 'son', 'par', 'est', 'will'); a
common word that stays in a query costs little, since BM25 gives it little weight.
"""

from __future__ import annotations

_ENGLISH = """\
a about all an and any are as at be been but by can could did do does for from give had has have he her his how
i in into is it its list me my of on or our please she show so some tell than that the their them there these
they this those to was we were what when where which who whom whose why with would you your"""
_GERMAN = """\
aber als auf aus bis das dass dem der des dies diese dieser dieses du ein eine einem einen einer eines er für
haben hatte ich ihr ist nach nicht oder sie sind über um und uns unter vom von vor wann waren warum welche
welchem welchen welcher welches wem wen wer werden wie wieviel wird wir wo wurde wurden zu zum zur"""
_FRENCH = """\
au aux avec ces cette combien comment dans du elle était il ils je la le les leur lui mais mes mon nous ont ou
où pourquoi quand que quel quelle quelles quels qui quoi ses sont une vous à"""
_SPANISH = """\
al como cuál cuáles cuando cuándo cuánto cuántos de del dónde ella ellos era esta este ha han hay las los más
para pero porque por qué quién se ser sin sobre su sus un una y"""

STOP_WORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH}".split())
