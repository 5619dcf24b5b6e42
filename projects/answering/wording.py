"""What a question asks for, told by its words alone: an overview, every document, a full reading, or a fact.

The words are those of English, German, French and Spanish, compared without case, accents and typographic signs, so
that 'RÉSUMÉ' and 'resume' are the same. What matches nothing is a question for a fact: the kind that is never answered
from descriptions of the documents alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from projects.folding import folded_letters


class Kind(StrEnum):
    """What a question asks for.

    OVERVIEW: what the documents are about. EACH: something of every document, or which and how many of them it holds
    for. FULL: a complete reading, said in so many words. FACT: anything else.
    """

    OVERVIEW = "overview"
    EACH = "each"
    FULL = "full"
    FACT = "fact"


_COLLECTIONS = """\
documents? files? papers? reports? records? texts? pdfs? letters? contracts? agreements? invoices? bills? minutes
leases? mails? emails? notes? dokumente? dokumenten dateien unterlagen berichte? berichten briefe? rechnungen
vertrage? vertragen protokolle? fichiers? rapports? lettres? contrats? factures? documentos? archivos? ficheros?
informes? cartas? contratos? facturas? actas?"""
"""What documents are called, one and many."""

_FULL = (
    r"\bread\b.*\b(whole|entire|entirely|all|full|fully|complete|completely|every|carefully|through)\b",
    r"\bgo(ing)? (carefully |all the way )?through\b",
    r"\bfrom (start|beginning|front) to (end|finish|back)\b",
    r"\bcover to cover\b",
    r"\b(in full|every page|each page|word for word)\b",
    r"\b(lies|lesen|lest)\b.*\b(ganz|ganze|ganzen|vollstandig|komplett|alle|allen|jede|jeden|genau)\b",
    r"\bvon (anfang|vorne) bis (ende|hinten)\b",
    r"\b(lis|lisez|lire)\b.*\b(entier|entierement|integralement|completement|tout|tous|toutes|chaque)\b",
    r"\bdu debut a la fin\b",
    r"\b(lee|lea|leer)\b.*\b(entero|entera|completo|completa|completamente|todo|todos|todas|cada)\b",
    r"\bde principio a fin\b",
)
_OVERVIEW = (
    r"\b(summary|summaries|summari[sz](e|es|ed|ing)|overview|synopsis|gist|recap|tl ?dr|in a nutshell)\b",
    r"\b(in common|have in common|most (often|common|commonly|frequent|frequently)|at a glance|in general|overall)\b",
    r"\bmain (point|topic|theme|subject|cause|finding|idea|issue)s?\b",
    r"\bwhat( is| are| s| was| were)? (this|these|those|they|it|the|my|all|everything)\b.*\babout$",
    r"\bwhat( is| s| are) (there )?in (this|these|those|the|my|here|all)\b",
    r"\b(tell|inform) me (something )?about (this|these|those|the|my|all( of)?( the| these)?) {collection}\b",
    r"\bwhat (is|are|s) (this|these|those)\b( {collection}| project| folder| collection)?$",
    r"\bdescribe (this|these|those|the|all|each|every)( of)?( the| these)?( {collection}| project| of them)?$",
    r"\b(zusammenfassung|zusammenfassen|uberblick|ubersicht|gemeinsam|gemeinsamkeiten|am haufigsten|insgesamt)\b",
    r"\b(fasse?|fass|fasst)\b.*\bzusammen\b",
    r"\bworum\b|\bwovon handel|\bwas (steht|ist) in (den|diesen|allen|meinen)\b",
    r"\b(resume|resumer|resumez|synthese|apercu|vue d ensemble|en commun|le plus souvent|globalement)\b",
    r"\bde quoi\b.*\b(parle|parlent|traite|traitent|agit)\b",
    r"\b(resumen|resumir|resuma|resumeme|sintesis|vision general|en comun|mas a menudo|en general)\b",
    r"\bde que\b.*\b(trata|tratan|habla|hablan)\b",
)
_EACH = (
    r"\bhow many of (these|those|all|my|our|them)\b",
    r"\bhow many (different |other )?{collection}\b",
    r"\bwhich( ones?)? of (these|those|all|my|our|them)\b",
    r"\b(which|what) {collection}\b",
    r"\b(each|every|all|all of|all the|all of the|all these|any of the) (one of )?(the )?{collection}\b",
    r"\b(each|every) (one|single one) of (them|these|those)\b",
    r"\b(welche|wie viele|wieviele|alle|jedes|jeder|jede|aller) (der |von |dieser |diesen |den )?{collection}\b",
    r"\b(quels|quelles|lesquels|lesquelles|chaque)( de ces| des| ces)? {collection}\b",
    r"\b(combien de|combien d|tous les|toutes les) (ces )?{collection}\b",
    r"\b(que|cuales|cuantos|cuantas|todos los|todas las|cada)( de estos| de estas| de los| de las)? {collection}\b",
)
_EACH_OF_A_SET = (
    r"\bhow many of the\b",
    r"\bwhich( ones?)? of the\b",
    r"\bwie viele (der|von den)\b",
    r"\bcombien (des|parmi les)\b",
    r"\bcuant[oa]s de l[oa]s\b",
)
# Not among them are words that in another of the four languages mean something else: 'el' and 'es' are the article and
# 'is' of nearly every Spanish question, 'son' is 'are' there and a child in English.
_FOLLOWING = (
    r"^(and|und|et|y|e|or|also|what about|how about|was ist mit|et pour|y que) \b",
    r"\b(it|its|he|his|him|she|her|hers|they|their|them|this|that|those|there|then|one|same|again)\b",
    r"\b(er|sie|ihm|ihn|dessen|deren|dort|dieser|dieses|diese|damals|davon|dabei)\b",
    r"\b(il|elle|ils|elles|sa|ses|leur|celui|celle|cela|ca|cet|cette)\b",
    r"\b(ella|ellos|ellas|su|sus|ese|esa|eso|alli|aquel|aquella)\b",
)
_SHORT = 4
"""Words of a question that is likely to lean on what was said before."""


def folded(text: str) -> str:
    """Return text without case, accents and punctuation, words one space apart."""
    return " ".join(re.sub(r"\W+|_", " ", folded_letters(text)).split())


def kind_of(question: str, *, anchored: bool, collections: Iterable[str] = ()) -> Kind:
    """Return what a question asks for.

    `anchored`: it names something that few of the documents hold, so that words such as 'summary' or 'of the' speak of
    those. `collections` are words by which this project's documents are called besides the usual ones.
    """
    words = folded(question)
    nouns = "|".join((*_COLLECTIONS.split(), *(f"{re.escape(folded(noun))}s?" for noun in collections)))
    collection = rf"(\w+ )?({nouns})"

    def says(patterns: Iterable[str]) -> bool:
        return any(re.search(pattern.replace("{collection}", collection), words) for pattern in patterns)

    if says(_FULL):
        return Kind.FULL
    if says(_OVERVIEW) and not (anchored and says(_EACH)):
        return Kind.OVERVIEW
    if says(_EACH) or (not anchored and says(_EACH_OF_A_SET)):
        return Kind.EACH
    return Kind.FACT


def leans_back(question: str) -> bool:
    """Tell whether a question in a conversation can only be understood with what was said before."""
    words = folded(question)
    return len(words.split()) <= _SHORT or any(re.search(pattern, words) for pattern in _FOLLOWING)
