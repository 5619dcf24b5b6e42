"""Passages as they go before a model or a person: neighbours as one, and nothing that another one says already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from projects.retrieval.duplicates import Cut, Said
from projects.retrieval.fusion import Ranked
from projects.retrieval.passages import Passage, content_key

LONGEST = 2_000
"""Characters that neighbours may have together, two chunks: more would leave no room for other places."""
GAP = "\n[…]\n"

SectionTexts = Callable[[Sequence[int]], dict[int, str]]


@dataclass(frozen=True)
class Hit:
    """A passage with its best ranks from 1 by words and by meaning, None where it was not found; `score` is fused."""

    passage: Passage
    words_rank: int | None
    meaning_rank: int | None
    score: float


@dataclass
class _Stretch:
    """Chunks of one section next to each other, each with what is kept of it; the best one first."""

    parts: list[tuple[Passage, list[Cut]]]
    ranks: list[Ranked] = field(default_factory=list)

    @property
    def length(self) -> int:
        return sum(cut.end - cut.start for _, cuts in self.parts for cut in cuts)

    def touches(self, passage: Passage) -> bool:
        """Tell whether a chunk continues this one; between two chunks of a section there is only white space."""
        same = passage.section_id and passage.section_id == self.parts[0][0].section_id
        return bool(same) and any(abs(part.ordinal - passage.ordinal) == 1 for part, _ in self.parts)


def gather(ranked: Iterable[tuple[Ranked, Passage]], limit: int, section_texts: SectionTexts) -> list[Hit]:
    """Take chunks from the best down until there are `limit` stretches.

    `section_texts` gives the texts of sections by their ids; it is asked once, for those where chunks are joined.
    """
    stretches: list[_Stretch] = []
    said = Said()
    for rank, passage in ranked:
        cuts = said.new_in(passage.text)
        if not cuts:
            continue
        place = next((one for one in stretches if _joins(one, passage, cuts)), None)
        if place is None:
            if len(stretches) == limit:
                break
            place = _Stretch([])
            stretches.append(place)
        place.parts.append((passage, cuts))
        place.ranks.append(rank)
        said.add(passage.text)
    joined = [one.parts[0][0].section_id for one in stretches if len(one.parts) > 1]
    texts = section_texts(joined) if joined else {}
    return [_hit(one, texts) for one in stretches]


def _joins(stretch: _Stretch, passage: Passage, cuts: Sequence[Cut]) -> bool:
    added = sum(cut.end - cut.start for cut in cuts)
    return stretch.touches(passage) and stretch.length + added <= LONGEST


def _hit(stretch: _Stretch, section_texts: dict[int, str]) -> Hit:
    best = stretch.ranks[0]
    return Hit(
        _passage(stretch, section_texts, best.score),
        min((rank.words_rank for rank in stretch.ranks if rank.words_rank), default=None),
        min((rank.meaning_rank for rank in stretch.ranks if rank.meaning_rank), default=None),
        best.score,
    )


def _passage(stretch: _Stretch, section_texts: dict[int, str], score: float) -> Passage:
    """Return what is kept as one passage; its pages stay right, since what is left out leaves its page breaks."""
    parts = sorted(stretch.parts, key=lambda part: part[0].start)
    first = parts[0][0]
    source, offset = section_texts.get(first.section_id), 0
    if source is None:
        source, offset = first.text, first.start
    places = [(part.start - offset, cut) for part, cuts in parts for cut in cuts]
    spans = [Cut(place + cut.start, place + cut.end) for place, cut in places]
    begin = spans[0].start
    page = first.page_at(begin + offset - first.start)
    text = _text(source, spans)
    return replace(first, page=page, text=text, start=begin + offset, content_key=content_key(text), score=score)


def _text(source: str, spans: Sequence[Cut]) -> str:
    pieces: list[str] = []
    end = spans[0].start
    for span in spans:
        start = max(span.start, end)  # chunks may overlap
        between = source[end:start]
        if between.strip():
            between = GAP + "\f" * between.count("\f")
        pieces += [between, source[start : span.end]]
        end = max(end, span.end)
    return "".join(pieces)
