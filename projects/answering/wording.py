"""What a question asks for, told by its words alone: an overview, each of the documents, a full reading, or a fact.

The words are those of English, German, French and Spanish, compared without case, accents and typographic signs, so
that 'RÉSUMÉ' and 'resume' are the same. What matches nothing is a question for a fact: the kind that is never answered
from descriptions of the documents alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from projects.folding import folded_letters


class Kind(StrEnum):
    """What a question asks for.

    OVERVIEW: what the documents are about. ACROSS: what holds of them together. MOSTLY: what is most frequent among
    them. TOTAL: how many there are. LIST: each of them, with what it is. WHICH: those for which something holds, or how
    many these are. EVERY: one thing of each of them. FULL: a complete reading, said in so many words. FACT: anything
    else.
    """

    OVERVIEW = "overview"
    ACROSS = "across"
    MOSTLY = "mostly"
    TOTAL = "total"
    LIST = "list"
    WHICH = "which"
    EVERY = "every"
    FULL = "full"
    FACT = "fact"


WALKS = frozenset({Kind.WHICH, Kind.EVERY, Kind.MOSTLY})
"""Kinds of questions that each document has to be asked: a search for the best passages would leave some out."""


_COLLECTIONS = """\
documents? files? papers? reports? records? texts? pdfs? letters? contracts? agreements? invoices? bills? minutes
leases? mails? emails? notes? dokumente? dokumenten dateien unterlagen berichte? berichten briefe? rechnung rechnungen
vertrag vertrage? vertragen protokolle? fichiers? rapports? lettres? contrats? factures? documentos? archivos? ficheros?
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
_FULL_OF_EACH = (
    r"\b(read|go through|going through|through) ((every|each) {noun}|all (of )?(the |these |my )?{nouns})\b",
    r"\b(lies|lesen|lest) (jedes|jeden|jede|alle) {noun}\b",
    r"\b(lis|lisez|lire) (chaque|tous les|toutes les) {noun}\b",
    r"\b(lee|lea|leer) (cada|todos los|todas las) {noun}\b",
)
"""A full reading of one is 'all of the report'; of each of them 'every report' or 'all the reports'."""
_OVERVIEW = {
    "en": (
        r"\b(summary|summaries|summari[sz](e|es|ed|ing)|overview|synopsis|gist|recap|tl ?dr|in a nutshell)\b",
        r"\b(at a glance|in general|overall)\b|\bmain (point|topic|theme|subject|idea)s?\b",
        r"\bwhat( is| are| s| was| were)? (this|these|those|they|it|the|my|all|everything)\b.*\babout$",
        r"\bwhat( is| s| are) (there )?in (this|these|those|the|my|here|all)\b",
        r"\b(tell|inform) me (something )?about (this|these|those|the|my|all( of)?( the| these)?) {collection}\b",
        r"\bwhat (is|are|s) (this|these|those)\b( {collection}| project| folder| collection)?$",
        r"\bdescribe (this|these|those|the|all|each|every)( of)?( the| these)?( {collection}| project| of them)?$",
    ),
    "de": (
        r"\b(zusammenfassung|zusammenfassen|uberblick|ubersicht|insgesamt)\b",
        r"\b(fasse?|fass|fasst)\b.*\bzusammen\b",
        r"\bworum\b|\bwovon handel|\bwas (steht|ist) in (den|diesen|allen|meinen)\b",
    ),
    "fr": (
        r"\b(resume|resumer|resumez|synthese|apercu|vue d ensemble|globalement)\b",
        r"\bde quoi\b.*\b(parle|parlent|traite|traitent|agit)\b",
    ),
    "es": (
        r"\b(resumen|resumir|resuma|resumeme|sintesis|vision general|en general)\b",
        r"\bde que\b.*\b(trata|tratan|habla|hablan)\b",
    ),
}
_ALL = (
    r"\b(whole|entire|all|these|those|my) (of )?(the |these |those |my )?(project|folder|collection|pile|{nouns})\b",
    r"\b(this|the) (project|folder|collection|pile)\b|\beverything\b",
    r"\b(alle[nr]?|diesen?|meinen?|gesamte[nsm]?|ganze[nsm]?|das|dem) ({noun}|projekt|ordner)\b|\balles\b",
    r"\b(tous les|toutes les|ces|mes|tout le|ce|le) ({nouns}|projet|dossier)\b",
    r"\b(todos los|todas las|estos|estas|mis|todo el|este|el) ({nouns}|proyecto|carpeta)\b",
)
_ACROSS = (
    r"\b(in common|main (cause|reason|finding|issue|problem|result|lesson|difference)s?|differences between)\b",
    r"\b(gemeinsam|gemeinsamkeiten?|unterschiede|haupt(ursache|grund|problem|ergebnis)\w*)\b",
    r"\b(en commun|points communs|differences entre|principa(l|le|les|ux) (cause|raison|probleme|resultat)s?)\b",
    r"\b(en comun|diferencias entre|principales (causa|razon|problema|resultado|motivo)(s|es)?)\b",
)
_MOSTLY = (
    r"\b(most|more|least) (often|common|commonly|frequent|frequently|usual)\b",
    r"\b(haufigste[nrs]?|haufigsten|meistens|am seltensten)\b",
    r"\b(le plus souvent|l[ea]s? plus (frequent|courant|repandu)\w*)\b",
    r"\b(mas a menudo|mas (frecuente|comun|habitual)(s|es)?)\b",
)
_TOGETHER = ((Kind.MOSTLY, _MOSTLY), (Kind.ACROSS, _ACROSS))
"""Said of one that is named, these words ask for a fact: the main cause of one accident stands in its report."""
_TOTAL = (
    (
        r"^how many (different )?({noun} )?{noun}( (are|is|do|does|did|there|altogether|in|total|all|here))*"
        r"( (i|we|you|have|got|in|here|so|far|this|these|the|project|folder|collection|pile|uploaded|added))*$"
    ),
    r"^(wie viele|wieviele) ({noun} )?{noun}( (gibt|sind|es|hier|insgesamt|habe|ich|wir|haben|im|projekt|da|in))*$",
    r"^combien (de |d )?({noun} )?{noun}( (y|a|t|il|ici|au|total|sont|dans|le|ce|projet|ai|je|avons|nous|en|tout))*$",
    r"^cuant[oa]s ({noun} )?{noun}( (hay|aqui|en|total|tengo|tenemos|son|el|este|proyecto))*$",
)
_LIST = (
    (
        r"^(please |can you )?(list|name|enumerate|show)( me)?( all| every| each)?( of)?( the| these| my)? {noun}"
        r"( (here|there are|in here|in (this|the) (project|folder|collection)))*( with .*)?$"
    ),
    r"\b(one|a|1) (line|sentence|short sentence|word|few words) (about|on|for|per|of|to) (each|every|all)\b",
    r"\b(summari[sz]e|describe|summary of) (each|every)( one)?( of)?( the| these)?( {collection}| of them)?$",
    r"^(liste|nenne|zeige?)( mir)?( bitte)? (alle|jedes|jeden|die) {noun}( (hier|auf|im projekt))*$",
    r"\b(ein|einen|einem|eine) (satz|zeile) (zu|uber|pro|je|fur) (jede[mnrs]?|alle[nr]?)\b",
    r"\bfasse? (jedes|jeden|jede|alle) {noun}( einzeln| kurz)* zusammen$",
    r"\b(une ligne|une phrase) (sur|par|pour) chaque\b|^(liste|enumere) (tous les|toutes les|les) {noun}$",
    r"\bresume(r|z)? chaque {noun}$",
    r"\b(una linea|una frase) (sobre|por|para) cada\b|^(lista|enumera) (todos los|todas las|los|las) {noun}$",
    r"\bresum[ea] cada {noun}$",
)
_WHICH = (
    r"\bhow many of (these|those|all|my|our|them)\b",
    r"\bhow many (different |other )?{collection}\b",
    r"\bwhich( ones?)? of (these|those|all|my|our|them)\b",
    r"(?<!\bin )\b(which|what) {collection}\b",
    (
        r"\b(list|name|show|find|give)( me)? (all |every |all of |any )?(of )?(the |these |those |my )?{collection} "
        r"(that|which|who|whose|where|with|without|about|from|in|of|mentioning)\b"
    ),
    r"\b(are|is) there (any |a )?{collection} (that|which|who|whose|where|with|without|about|from|in)\b",
    r"\b(welche|wie viele|wieviele) (der |von |dieser |diesen |den )?{collection}\b",
    r"\b(quels|quelles|lesquels|lesquelles|lequel)( de ces| des| ces)? {collection}\b",
    r"\b(combien de|combien d) (ces )?{collection}\b",
    r"\b(que|cuales|cuantos|cuantas)( de estos| de estas| de los| de las)? {collection}\b",
)
_WHICH_OF_A_SET = (
    r"\bhow many of the\b",
    r"\bwhich( ones?)? of the\b",
    r"\bwie viele (der|von den)\b",
    r"\bcombien (des|parmi les)\b",
    r"\bcuant[oa]s de l[oa]s\b",
)
_EVERY = (
    r"\b(each|every|any of the) (one of )?(the )?{collection}\b",
    r"\ball (of )?(the |these |those |my )?(\w+ )?{nouns}\b",
    r"\b(each|every) (one|single one) of (them|these|those)\b",
    r"\b(for|of|in|from) (each|every one|all of them)\b",
    r"\b(alle|jedes|jeder|jedem|jeden|jede|aller|allen) (der |von |dieser |diesen |den )?{collection}\b",
    r"\b(chaque|tous les|toutes les)( de ces| des| ces)? {collection}\b",
    r"\b(todos los|todas las|cada)( de estos| de estas| de los| de las)? {collection}\b",
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
_BARE = 2
"""Words of a question that is only a name."""
_ASKING = frozenset(
    (
        "who",
        "what",
        "when",
        "where",
        "why",
        "how",
        "which",
        "is",
        "are",
        "was",
        "were",
        "does",
        "do",
        "did",
        "wer",
        "was",
        "wann",
        "wo",
        "warum",
        "wie",
        "welche",
        "ist",
        "sind",
        "qui",
        "que",
        "quoi",
        "quand",
        "ou",
        "pourquoi",
        "comment",
        "combien",
        "est",
        "quien",
        "cuando",
        "donde",
        "por",
        "cuanto",
        "cual",
        "es",
    )
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
    words, forms = folded(question), _forms(collections)

    def says(patterns: Iterable[str]) -> bool:
        return _says(patterns, words, forms)

    of_each = says(_EVERY)
    if says(_FULL):
        return Kind.EVERY if says(_FULL_OF_EACH) or (of_each and not anchored) else Kind.FULL
    for kind, patterns in ((Kind.TOTAL, _TOTAL), (Kind.LIST, _LIST)):
        if says(patterns):
            return kind
    if not anchored and (together := next((kind for kind, patterns in _TOGETHER if says(patterns)), None)):
        return together
    which = says(_WHICH) or (not anchored and says(_WHICH_OF_A_SET))
    if any(map(says, _OVERVIEW.values())) and not (anchored and (which or of_each)):
        return Kind.OVERVIEW
    if which:
        return Kind.WHICH
    return Kind.EVERY if of_each else Kind.FACT


def overview_language(question: str) -> str:
    """Return the language (ISO 639-1) in which a question asks for an overview, empty if it is none of ours."""
    words, forms = folded(question), _forms()
    asked = (code for code, patterns in _OVERVIEW.items() if _says(patterns, words, forms))
    return next(asked, "")


def _forms(collections: Iterable[str] = ()) -> Mapping[str, str]:
    """Return what stands for the names of documents in the patterns; `collections` are more of them."""
    noun = "|".join((*_COLLECTIONS.split(), *(f"{re.escape(folded(noun))}s?" for noun in collections)))
    return {"{noun}": f"({noun})", "{nouns}": f"((?:{noun})(?<=s))", "{collection}": rf"(\w+ )?({noun})"}


def _says(patterns: Iterable[str], words: str, forms: Mapping[str, str]) -> bool:
    return any(re.search(_filled(pattern, forms), words) for pattern in patterns)


def _filled(pattern: str, forms: Mapping[str, str]) -> str:
    for name, form in forms.items():
        pattern = pattern.replace(name, form)
    return pattern


def speaks_of_all(question: str) -> bool:
    """Tell whether a question speaks of the documents as a whole, and has no word that is written like a name.

    Of such a question a word that is a name somewhere ('few' in a table of 'Few', 'Broken', 'Overcast') is none.
    """
    forms = _forms()
    noun = re.compile(forms["{noun}"])
    later = (word for word in question.split()[1:] if not noun.fullmatch(folded(word)))
    named = any(word[:1].isupper() or any(map(str.isdigit, word)) for word in later)
    return not named and _says(_ALL, folded(question), forms)


def leans_back(question: str) -> bool:
    """Tell whether a question in a conversation can only be understood with what was said before."""
    words = folded(question)
    return len(words.split()) <= _SHORT or any(re.search(pattern, words) for pattern in _FOLLOWING)


def is_bare_name(question: str) -> bool:
    """Tell whether a question is no more than a name or two, which asks what there is to know about it."""
    words = folded(question).split()
    return 0 < len(words) <= _BARE and not any(word in _ASKING for word in words)
