"""Turns the Markdown of an answer into HTML that is safe to put on a page.

An answer is untrusted: the model repeats what documents say. Raw HTML stays text, pictures are left out, and a link
becomes its words with the address behind them, so that no document can lure a reader, or a browser, off the machine.
The only links are the citation marks, and those are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

MARK = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")

TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "class", "title"}, "ol": {"start"}, "code": {"class"}}


@dataclass(frozen=True)
class Link:
    """Where a mark leads, and what is shown while one points at it."""

    address: str
    preview: str = ""


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image", "html_block"])


def render(text: str, links: Mapping[int, Link]) -> SafeString:
    """Return `text` as sanitised HTML; a mark [n] becomes a link where `links` holds one for n."""
    parser = _parser()
    environment: dict[str, object] = {}
    tokens = parser.parse(text, environment)
    for token in tokens:
        if token.type == "inline":
            token.children = list(_inline(token.children or [], links))
    html = parser.renderer.render(tokens, parser.options, environment)
    clean = nh3.clean(html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=set(), link_rel=None)
    return mark_safe(clean)  # noqa: S308 - sanitised on the line above


def _inline(tokens: list[Token], links: Mapping[int, Link]) -> Iterator[Token]:
    target = ""
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrGet("href") or "")
        elif token.type == "link_close":
            if target:
                yield _text(f" ({target})")
        elif token.type == "text":
            yield from _marks(token.content, links)
        else:
            yield token


def _marks(text: str, links: Mapping[int, Link]) -> Iterator[Token]:
    end = 0
    for match in MARK.finditer(text):
        numbers = [int(number) for number in match[1].split(",")]
        if not all(number in links for number in numbers):
            continue
        yield _text(text[end : match.start()])
        for number in numbers:
            link = links[number]
            yield Token("link_open", "a", 1, attrs={"href": link.address, "class": "cite", "title": link.preview})
            yield _text(str(number))
            yield Token("link_close", "a", -1)
        end = match.end()
    yield _text(text[end:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
