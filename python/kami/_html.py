# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What notebooks show."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any


def html_table(
    caption: str, names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> str:
    """As notebooks show it; a list is a list of extents."""
    head = "".join(f"<th>{name}</th>" for name in names)
    lines = []
    for row in rows:
        texts = ["x".join(map(str, c)) if isinstance(c, list) else str(c) for c in row]
        lines.append("".join(f"<td>{html.escape(text)}</td>" for text in texts))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    caption = html.escape(caption)
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table>"
