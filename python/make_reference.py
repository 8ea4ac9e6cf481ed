"""Prints the reference of the Python package from its docstrings, as Markdown: make_reference.py

The package must be importable; `make docs-python` writes docs/python-reference.md with it."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import octant
from octant import plot
from octant._table import Record, Table
from octant._units import Units
from octant.sweeping import Sweep
from octant.viewing import Viewer

CLASSES = [
    ("octant.Simulation", octant.Simulation),
    ("Bodies", octant.Bodies),
    ("Table", Table),
    ("Record", Record),
    ("octant.Scene", octant.Scene),
    ("octant.File", octant.File),
    ("Sweep", Sweep),
    ("Units", Units),
    ("Viewer", Viewer),
]
FUNCTIONS = [
    "devices",
    "builtin_scenes",
    "read",
    "sweep",
    "from_rebound",
    "to_rebound",
    "from_amuse",
    "to_amuse",
    "from_agama",
    "to_agama",
]


def text(thing: Any) -> str:
    """A docstring as Markdown: code is in single ticks there."""
    return re.sub(r"``(.+?)``", r"`\1`", inspect.getdoc(thing) or "")


def signature(name: str, function: Any) -> str:
    """A call as one writes it, without types, which are in the sources."""
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        word = parameter.replace(annotation=inspect.Parameter.empty)
        if parameter.kind == parameter.KEYWORD_ONLY and "*" not in "".join(parameters):
            parameters.append("*")
        parameters.append(str(word).replace(" = ", "=").split(":")[0])
    return f"{name}({', '.join(parameters)})"


def members(cls: type) -> list[tuple[str, str]]:
    """The public methods and properties of a class, in their order."""
    found = []
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.getdoc(member):
            continue
        if isinstance(member, property):
            found.append((f"`.{name}`", text(member)))
        elif inspect.isfunction(function):
            shown = signature(f".{name}", function).replace("(cls, ", "(").replace("(cls)", "()")
            found.append((f"`{shown}`", text(function)))
    return found


def page() -> str:
    """The whole reference."""
    lines = [
        "# Reference of the Python package",
        "",
        "Made from its docstrings by `make docs-python`.",
        "",
    ]
    for name, cls in CLASSES:
        lines += [f"## {name}", "", text(cls), ""]
        lines += [line for head, doc in members(cls) for line in (f"**{head}** {doc}", "")]
    lines += ["## Functions", ""]
    for name in FUNCTIONS:
        function = getattr(octant, name)
        lines += [f"**`{signature('octant.' + name, function)}`** {text(function)}", ""]
    lines += ["## octant.plot", "", text(plot), ""]
    for name, function in vars(plot).items():
        if inspect.isfunction(function) and function.__module__ == plot.__name__:
            if not name.startswith("_"):
                shown = signature("octant.plot." + name, function)
                lines += [f"**`{shown}`** {text(function)}", ""]
    lines += [
        "## Exceptions",
        "",
        "All are `octant.Error`, and Python's own kinds where there is one.",
        "",
    ]
    lines += ["| exception | also | |", "|---|---|---|"]
    for cls in octant.Error.__subclasses__():
        also = ", ".join(f"`{base.__name__}`" for base in cls.__bases__ if base is not octant.Error)
        lines.append(f"| `octant.{cls.__name__}` | {also} | {text(cls)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
