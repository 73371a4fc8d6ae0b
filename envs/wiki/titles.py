"""How titles are written in data files, and when two of them are the same."""

from __future__ import annotations

import html
import unicodedata

_ESCAPES = (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"), ("-COLON-", ":"))


def plain(text: str) -> str:
    """Return a text of FEVER's files without its escapes for brackets and colons."""
    for escape, mark in _ESCAPES:
        text = text.replace(escape, mark)
    return text


def plain_title(title: str) -> str:
    """Return a title of FEVER's files as people write it: without escapes, blanks for underscores."""
    return plain(title).replace("_", " ")


def title_key(title: str) -> str:
    """Return what equal titles have in common: case, Unicode form, entities, underscores and extra blanks aside."""
    text = unicodedata.normalize("NFKC", html.unescape(title)).replace("_", " ")
    return " ".join(text.casefold().split())
