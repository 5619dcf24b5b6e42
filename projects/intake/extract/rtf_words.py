"""The control words of RTF that matter for reading its text."""

from __future__ import annotations

CHARACTERS = {
    "line": "\n",
    "lbr": "\n",
    "tab": "\t",
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
}
SYMBOLS = {"~": "\u00a0", "_": "-", "-": "", "\t": "\t"}
"""After a backslash: a space and a hyphen that do not break, a hyphen that is seen only at the end of a line."""
ESCAPED = frozenset("\\{}")

PARAGRAPH_ENDS = frozenset({"par", "sect", "page", "column", "\n", "\r"})

STORIES = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "footer"),
    "footnote": "note",
    "shptxt": "box",
    "dptxbxtext": "box",
}
"""Groups whose text stands elsewhere than in the line they are written in."""

SKIPPED = frozenset(
    {
        "aftncn", "aftnsep", "aftnsepc", "annotation", "bkmkend", "bkmkstart", "colortbl", "falt", "ffdeftext",
        "ffentrymcr", "ffexitmcr", "ffformat", "ffhelptext", "ffl", "ffname", "ffstattext", "filetbl", "fldinst",
        "fonttbl", "formfield", "ftncn", "ftnsep", "ftnsepc", "info", "listoverridetable", "listtable",
        "nesttableprops", "nonesttables", "nonshppict", "objalias", "objclass", "objdata", "objname", "objsect",
        "panose", "pict", "pntxta", "pntxtb", "private1", "rxe", "shprslt", "sn", "sp", "sv", "tc", "tcn",
        "template", "themedata", "txe", "upr", "xe",
    }
)  # fmt: skip
"""Groups without text of the document: descriptions, pictures, index entries, doubles for old programs."""
READ_THOUGH_MARKED = frozenset({"shpinst", "ud", "moMath", "moMathPara", "do", "dptxbxtext", "shppict"})
"""Groups that old programs are told to skip (by a star) and that hold text, or groups with text."""

CODE_PAGES = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
"""By the charset of a font, where that says one; 1 is the document's own, 2 that of symbols."""
DOCUMENT_CODE_PAGES = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
