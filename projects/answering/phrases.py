"""The few sentences of an answer that are ours and not the model's, in the language of the question."""

from __future__ import annotations

from dataclasses import dataclass

from study.language import language_of

FALLBACK = "en"


@dataclass(frozen=True)
class Phrases:
    """`total`, `some` and `none` take `of`, the number of documents looked at, and `some` also `count`; `single` is the
    total of one.
    """

    not_stated: str
    nearest: str
    single: str
    total: str
    some: str
    none: str
    silent: str


_BY_LANGUAGE = {
    "en": Phrases(
        not_stated="The documents do not say.",
        nearest="The nearest passages:",
        single="There is one document:",
        total="There are {of} documents:",
        some="{count} of {of} documents:",
        none="None of the {of} documents.",
        silent="does not say",
    ),
    "de": Phrases(
        not_stated="Die Dokumente sagen dazu nichts.",
        nearest="Am nächsten kommen:",
        single="Es ist ein Dokument:",
        total="Es sind {of} Dokumente:",
        some="{count} von {of} Dokumenten:",
        none="Keines der {of} Dokumente.",
        silent="sagt dazu nichts",
    ),
    "fr": Phrases(
        not_stated="Les documents ne le disent pas.",
        nearest="Les passages les plus proches :",
        single="Il y a un document :",
        total="Il y a {of} documents :",
        some="{count} documents sur {of} :",
        none="Aucun des {of} documents.",
        silent="ne le dit pas",
    ),
    "es": Phrases(
        not_stated="Los documentos no lo dicen.",
        nearest="Los pasajes más cercanos:",
        single="Hay un documento:",
        total="Hay {of} documentos:",
        some="{count} de {of} documentos:",
        none="Ninguno de los {of} documentos.",
        silent="no lo dice",
    ),
}


def phrases_for(question: str) -> Phrases:
    """Return the sentences in the question's language; in English where that is another one or cannot be told."""
    return _BY_LANGUAGE.get(language_of(question), _BY_LANGUAGE[FALLBACK])
