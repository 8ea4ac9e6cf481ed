"""Modules of JavaScript as one, which notebooks can load from a text."""

from __future__ import annotations

import pathlib
import re

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.M)


def bundle(entry: pathlib.Path, folder: pathlib.Path) -> str:
    """The module `entry` with all that it imports from a folder, each in a scope of its own."""
    parts: dict[str, str] = {}
    text = _linked(entry.read_text(encoding="utf-8"), folder, parts)
    return "".join(parts.values()) + text


def _linked(text: str, folder: pathlib.Path, parts: dict[str, str]) -> str:
    """A module's text that takes what it imports from the scopes of other modules."""
    for _, name in IMPORT.findall(text):
        if name not in parts:
            inner = _linked((folder / f"{name}.js").read_text(encoding="utf-8"), folder, parts)
            given = ", ".join(EXPORT.findall(inner))
            inner = EXPORT.sub("", inner)
            parts[name] = f"const module_{name} = (() => {{\n{inner}return {{{given}}};\n}})();\n"
    return IMPORT.sub(r"const {\1} = module_\2;\n", text)
