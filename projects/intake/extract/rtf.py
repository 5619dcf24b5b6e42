"""Reads RTF documents in reading order: headings, paragraphs, tables row by row, text boxes, notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from projects.intake.extract.base import Block, Context, Extraction, Report
from projects.intake.extract.ooxml import counted
from projects.intake.extract.rtf_story import Story
from projects.intake.extract.rtf_text import Decoder, Word
from projects.intake.extract.rtf_words import PARAGRAPH_ENDS, READ_THOUGH_MARKED, SKIPPED, STORIES
from projects.intake.extract.sniff import RTF

CUT_OFF = "The file ends in the middle: it was cut off, and only what is left of it was read."

_HEADING = re.compile(r"heading (\d)")
_TEXT_LEVEL = 9
"""The outline level of RTF that stands for text; headings have 0 to 8."""


@dataclass
class _Group:
    """What holds within a pair of braces and ends with it."""

    story: Story
    is_skipped: bool = False
    is_deleted: bool = False
    is_style: bool = False
    is_doubled: bool = False
    in_table: bool = False
    level: int = 0


@dataclass
class _Style:
    """A style while it is declared."""

    number: int = 0
    level: int = 0
    name: str = ""


def extract(path: Path, context: Context) -> Extraction:
    """Read a document; headers and footers come once, before and after the text, notes at its end."""
    reader = _Reader()
    replaced = reader.read(path.read_bytes())
    blocks = (*_once(reader.header), *reader.body.blocks, *reader.notes.blocks, *_once(reader.footer))
    tables = sum(story.tables for story in (reader.header, reader.body, reader.notes, reader.footer))
    warnings = (CUT_OFF,) if reader.is_cut_off else ()
    report = Report(replaced=replaced, tables=tables, left_out=_left_out(reader))
    return Extraction(RTF, blocks, warnings=warnings, report=report)


def _once(story: Story) -> list[Block]:
    return list(dict.fromkeys(story.blocks))


def _left_out(reader: _Reader) -> tuple[str, ...]:
    pictures = (counted(reader.pictures, "picture", "left out"),) if reader.pictures else ()
    comments = ("Comments were left out.",) if reader.has_comments else ()
    deleted = ("Text that was deleted with tracking of changes was left out.",) if reader.has_deletions else ()
    return (*pictures, *comments, *deleted)


class _Reader:
    """Follows the words of a document; what they set holds until the end of their group."""

    def __init__(self) -> None:
        self.body, self.header, self.footer, self.notes = Story(), Story(), Story(), Story()
        self.pictures = 0
        self.has_comments = False
        self.has_deletions = False
        self.is_cut_off = False
        self._group = _Group(self.body)
        self._outer: list[_Group] = []
        self._levels: dict[int, int] = {}
        self._style = _Style()
        self._words: dict[str, Callable[[int | None], None]] = {
            "pard": lambda _: self._begin_paragraph(),
            "intbl": lambda _: setattr(self._group, "in_table", True),
            "s": self._use_style,
            "outlinelevel": self._set_level,
            "deleted": lambda number: setattr(self._group, "is_deleted", number != 0),
            "cell": lambda _: self._group.story.end_cell(),
            "row": lambda _: self._group.story.end_row(),
            "nestcell": lambda _: self._group.story.end_inner_cell(),
            "trowd": lambda _: self._group.story.begin_row(),
            "trhdr": lambda _: self._group.story.mark_header(),
            "clvmrg": lambda _: self._group.story.mark_merged(),
            "cellx": lambda _: self._group.story.declare_cell(),
        }

    def read(self, content: bytes) -> int:
        """Read a document to its last brace and return how many of its characters are lost."""
        decoder = Decoder()
        for event in decoder.events(content):
            if isinstance(event, str):
                self._text(event)
            elif event.name == "{":
                self._outer.append(replace(self._group))
            elif event.name == "}":
                self._end_group()
                if not self._outer:
                    break
            else:
                self._word(event)
        self.is_cut_off = bool(self._outer)
        while self._outer:
            self._end_group()
        for story in (self.header, self.body, self.notes, self.footer):
            story.close()
        return decoder.replaced

    def _text(self, text: str) -> None:
        if self._group.is_style:
            self._style.name += text
        elif self._group.is_deleted:
            self.has_deletions = self.has_deletions or not self._group.is_skipped
        elif not self._group.is_skipped:
            self._group.story.add(text)

    def _word(self, word: Word) -> None:
        if word.name == "ud":  # the half of a doubled text that is in Unicode
            self._group.is_skipped = self._group.is_skipped and not self._group.is_doubled
        elif word.name == "nestrow":  # stands among properties, which are skipped
            self._group.story.end_inner_row()
        elif self._group.is_skipped and not self._group.is_style:
            return
        elif word.name == "stylesheet":
            self._group.is_style = self._group.is_skipped = True
        elif word.name in SKIPPED or (word.marked and word.name not in READ_THOUGH_MARKED | STORIES.keys()):
            self._skip(word.name)
        elif word.name in STORIES:
            self._group.story = self._story(STORIES[word.name])
        elif word.name in PARAGRAPH_ENDS:
            self._group.story.end_paragraph(self._group.level, self._group.in_table)
        elif word.name in self._words:
            self._words[word.name](word.number)

    def _skip(self, destination: str) -> None:
        """Leave out the rest of the group, and count what a person would miss."""
        self._group.is_skipped = True
        self._group.is_doubled = destination == "upr"
        self.pictures += destination == "pict"
        self.has_comments = self.has_comments or destination == "annotation"

    def _story(self, kind: str) -> Story:
        named = {"header": self.header, "footer": self.footer, "note": self.notes}
        return named.get(kind) or Story()

    def _end_group(self) -> None:
        ended, self._group = self._group, self._outer.pop()
        if ended.is_style:
            self._declare_style()
        if ended.story is self._group.story:
            return
        ended.story.end_paragraph(ended.level, in_table=False)
        if ended.story not in (self.body, self.header, self.footer, self.notes):
            ended.story.close()
            self._group.story.add_box(ended.story.blocks)

    def _begin_paragraph(self) -> None:
        self._group.in_table = False
        self._group.level = 0

    def _use_style(self, number: int | None) -> None:
        if self._group.is_style:
            self._style.number = number or 0
        else:
            self._group.level = self._levels.get(number or 0, 0)

    def _set_level(self, number: int | None) -> None:
        level = 0 if number is None or number >= _TEXT_LEVEL else number + 1
        if self._group.is_style:
            self._style.level = level
        else:
            self._group.level = level

    def _declare_style(self) -> None:
        """Take note of a style that makes headings: by its name, which is English in all languages, or its level."""
        name = self._style.name.strip().rstrip(";").lower()
        match = _HEADING.fullmatch(name)
        level = int(match.group(1)) if match else 1 if name == "title" else self._style.level
        if level:
            self._levels[self._style.number] = level
        self._style = _Style()
