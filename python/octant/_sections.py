"""The sections of a scene as attributes, made from the library's own tables of fields.

A section's class has a property for each field of its module, whose docstring says what the field
is, what is allowed and what the default is: ``help(sim.gravity)`` and tab completion know them.
"""

from __future__ import annotations

import difflib
import functools
import json
import textwrap
from collections.abc import Iterator
from typing import Any, Protocol

from ._library import opened, taken_text
from ._values import assignments, from_scene


class Holder(Protocol):
    """What has the values of a scene: a scene, or a simulation."""

    def _values(self) -> dict[str, Any]: ...

    def _outline(self) -> tuple[dict[str, Any], bool]: ...

    def _assign(self, key: str, value: Any) -> None: ...


@functools.lru_cache(maxsize=1)
def reference() -> dict[str, Any]:
    """Modules, fields, units and measurements, as ``octant list --json`` shows them."""
    return json.loads(taken_text(opened().lib.oct_reference, b"json"))


@functools.lru_cache(maxsize=1)
def sections() -> dict[str, dict[str, Any]]:
    """The sections by name."""
    return {section["name"]: section for section in reference()["sections"]}


def top_keys() -> list[str]:
    """The keys that stand before the sections: title, seed, units, G."""
    tables = reference()
    return [field["name"] for part in ("top", "constants") for field in tables[part]["fields"]]


def _explain(field: dict[str, Any]) -> str:
    default = field["default"]
    rule = field["expected"] + ("" if default is None else f"; default {default or repr('')}")
    return f"{field['doc']}\n\n{rule}" if field["doc"] else rule


class Section:
    """A part of a scene, with its fields as attributes."""

    _fields: dict[str, dict[str, Any]] = {}
    __slots__ = ("_holder", "_path")

    def __init__(self, holder: Holder, path: str) -> None:
        object.__setattr__(self, "_holder", holder)
        object.__setattr__(self, "_path", path)

    def to_dict(self) -> dict[str, Any]:
        """All values, as the resolved scene has them."""
        values: Any = self._holder._values()
        for part in self._path.split("."):
            values = values[int(part)] if isinstance(values, list) else values[part]
        return values

    def _get(self, name: str) -> Any:
        field = self._fields[name]
        if field["type"] == "group":
            cls = _section_class(name, field["doc"] or "", tuple(_frozen(field["fields"])))
            return cls(self._holder, f"{self._path}.{name}")
        return from_scene(self.to_dict()[name], field["type"])

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise AttributeError(self._unknown(name))
        self._holder._assign(f"{self._path}.{name}", value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._fields, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return f"'{self._path}' has no field '{name}'{hint}"

    def __repr__(self) -> str:
        values = self.to_dict()
        lines = [f"{name} = {values[name]!r}" for name in self._fields if name in values]
        return f"{self._path}:\n" + textwrap.indent("\n".join(lines), "    ")


def _frozen(fields: list[dict[str, Any]]) -> Iterator[str]:
    for field in fields:
        yield json.dumps(field, sort_keys=True)


def _property(name: str, doc: str) -> property:
    return property(
        lambda self: self._get(name), lambda self, value: self.__setattr__(name, value), None, doc
    )


@functools.cache
def _section_class(name: str, doc: str, frozen: tuple[str, ...]) -> type[Section]:
    fields = {field["name"]: field for field in map(json.loads, frozen)}
    members: dict[str, Any] = {"__slots__": (), "__module__": "octant", "_fields": fields}
    lines = []
    for key, field in fields.items():
        explained = _explain(field)
        members[key] = _property(key, explained)
        lines.append(f"{key}: " + explained.replace("\n\n", " -- "))
    members["__doc__"] = "\n\n".join(filter(None, [doc, *lines]))
    return type(name.replace("-", "_"), (Section,), members)


def _selector_field(section: dict[str, Any]) -> dict[str, Any]:
    names = [module["name"] for module in section["modules"]]
    return {
        "name": section["selector"],
        "type": "choice",
        "default": section["default"],
        "expected": f"one of {', '.join(names)}",
        "doc": "names the module, whose fields stand beside it",
    }


def _module_of(section: dict[str, Any], name: str | None) -> dict[str, Any] | None:
    return next((module for module in section["modules"] if module["name"] == name), None)


def _make(holder: Holder, section: dict[str, Any], path: str, module: str | None) -> Section:
    fields, doc = list(section["fields"]), section["doc"]
    chosen = _module_of(section, module)
    if section["selector"]:
        fields.insert(0, _selector_field(section))
    # A section without methods, such as the output, has the fields of all its modules.
    for other in section["modules"]:
        if other is chosen or (chosen is None and module is None):
            present = {field["name"] for field in fields}
            fields += [field for field in other["fields"] if field["name"] not in present]
    if chosen:
        doc = f"{section['name']}: {chosen['name']}. {chosen['doc']}"
    return _section_class(path.replace(".", "_"), doc, tuple(_frozen(fields)))(holder, path)


def section_of(holder: Holder, name: str) -> Any:
    """A section of a scene; of a list (models, forces) a list of them, of columns a dict."""
    section = sections()[name]
    if not (section["selector"] or section["list"] or section["named"]):
        return _make(holder, section, name, None)
    outline, whole = holder._outline()
    values = outline.get(name)
    if section["list"]:
        entries = [next(iter(entry)) for entry in values or []]
        return [_make(holder, section, f"{name}.{i}.{m}", m) for i, m in enumerate(entries)]
    if section["named"]:
        return {key: _make(holder, section, f"{name}.{key}", None) for key in values or {}}
    return _make(holder, section, name, values[section["selector"]] if values and whole else None)


def section_assignments(name: str, value: Any) -> list[tuple[str, str]]:
    """What is said of a section, a dict or the name of a method, as single assignments."""
    selector = sections()[name]["selector"] or ""
    if isinstance(value, str) and selector:
        value = {selector: value}
    return list(assignments(name, value, selector))


class Sections:
    """Gives a scene or a simulation its sections, and the keys before them, as attributes."""

    __slots__ = ()

    def _outline(self) -> tuple[dict[str, Any], bool]:
        """What sections there are: values as last seen, and whether they are those of now."""
        return self._values(), True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in sections():
            return section_of(self, name)
        if name in top_keys():
            return self._values()[name]
        raise AttributeError(self._no_attribute(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or hasattr(type(self), name):
            object.__setattr__(self, name, value)
        elif name in top_keys():
            self._assign(name, value)
        elif name in sections():
            self._assign_all(section_assignments(name, value))
        else:
            raise AttributeError(self._no_attribute(name))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *sections(), *top_keys()})

    def _assign_all(self, pairs: Any) -> None:
        for key, text in pairs:
            self._assign_text(key, text)

    def _no_attribute(self, name: str) -> str:
        near = difflib.get_close_matches(name, dir(self), 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return f"a {type(self).__name__} has no '{name}'{hint}"
