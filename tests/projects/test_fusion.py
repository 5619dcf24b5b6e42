"""Two rankings become one by their ranks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from projects.retrieval.fusion import K, Ranked, fuse


def test_what_both_find_comes_before_what_one_alone_finds_first() -> None:
    assert [one.chunk_id for one in fuse([1, 2, 3], [4, 3, 5])] == [3, 1, 4, 2, 5]


def test_ranks_and_score_are_kept() -> None:
    assert fuse([7], [8, 7])[0] == Ranked(7, words_rank=1, meaning_rank=2)
    assert fuse([7], [8, 7])[0].score == 1 / (K + 1) + 1 / (K + 2)
    assert fuse([], [8]) == [Ranked(8, None, 1)]


RANKING = st.lists(st.integers(1, 30), unique=True, max_size=30)


@given(RANKING, RANKING)
def test_every_chunk_comes_once_and_one_ranking_alone_keeps_its_order(words: list[int], meaning: list[int]) -> None:
    fused = [one.chunk_id for one in fuse(words, meaning)]
    assert sorted(fused) == sorted({*words, *meaning})
    assert [one.chunk_id for one in fuse(words, [])] == words
    assert [one.chunk_id for one in fuse([], meaning)] == meaning


@given(RANKING, RANKING, st.data())
def test_a_better_rank_never_makes_it_worse(words: list[int], meaning: list[int], data: st.DataObject) -> None:
    if len(words) < 2:
        return
    at = data.draw(st.integers(1, len(words) - 1))
    risen = [*words[: at - 1], words[at], words[at - 1], *words[at + 1 :]]
    before = [one.chunk_id for one in fuse(words, meaning)].index(words[at])
    assert [one.chunk_id for one in fuse(risen, meaning)].index(words[at]) <= before
