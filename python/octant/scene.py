"""Scenes: what to simulate, by which method, and what to write."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Union

from ._errors import ClosedError, InputError
from ._library import check, encode, opened, sized, taken_text, text, was_forked
from ._sections import Sections, sections, top_keys
from ._values import as_text, mapping, plain

Source = Union[None, str, "os.PathLike[str]", Mapping[str, Any], "Scene"]


def builtin_scenes() -> dict[str, str]:
    """The built-in scenes, as YAML by their names."""
    library = opened()
    name, content = library.ffi.new("char **"), library.ffi.new("char **")
    found, index = {}, 0
    while library.lib.oct_scene_builtin(index, name, content):
        found[text(name[0])] = text(content[0])
        index += 1
    return found


class Scene(Sections):
    """A scene: a file's or a built-in one by its name, YAML of several lines, or a dict.

    Keywords are sections and the keys before them, put over the rest: ``gravity={"theta": 0.4}``,
    ``units="nbody"``. For a section with methods a text names one: ``gravity="tree"``. Single
    values are ``set``: ``set={"models.0.plummer.n": 4096}``. Fields are attributes:
    ``scene.gravity.theta``. Values may carry units, as text or astropy's.
    """

    __slots__ = ("_pointer", "_seen", "__weakref__")

    def __init__(
        self, source: Source = None, *, set: Mapping[str, Any] | None = None, **keys: Any
    ) -> None:
        library = opened()
        out = library.ffi.new("oct_scene **")
        if source is None:
            check(library.lib.oct_scene_create(out))
        elif isinstance(source, Scene):
            _parse(out, source.text, "scene")
        elif isinstance(source, Mapping):
            _parse(out, json.dumps(plain(source), ensure_ascii=False), "dict")
        elif isinstance(source, (str, os.PathLike)):
            name = os.fspath(source)
            if isinstance(source, str) and "\n" in name:
                _parse(out, name, "text")
            else:
                check(library.lib.oct_scene_load(out, encode(name)))
        else:
            raise InputError(
                f"a {type(source).__name__} is no scene; expected a name, a file, YAML or a dict"
            )
        self._pointer = out[0]
        self._seen: dict[str, Any] = {}
        for key, value in keys.items():
            if key not in sections() and key not in top_keys():
                self.close()
                raise InputError(self._no_attribute(key))
            setattr(self, key, value)
        for key, value in mapping("set", set).items():
            self._assign(key, value)

    def set(self, key: str, value: Any) -> None:
        """Changes one value by its key: ``scene.set("models.0.plummer.n", 4096)``."""
        self._assign(key, value)

    def get(self, key: str) -> Any:
        """One value by its key, with defaults filled in."""
        values: Any = self._values()
        for part in str(key).split("."):
            try:
                values = values[int(part)] if isinstance(values, list) else values[part]
            except (LookupError, TypeError, ValueError):
                raise InputError(f"the scene has no value '{key}'") from None
        return values

    @property
    def text(self) -> str:
        """YAML with every default spelled out, which reads as the same scene."""
        return taken_text(opened().lib.oct_scene_resolve, self._live())

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return self._values()

    def review(self) -> list[tuple[bool, str]]:
        """What the scene leaves open, and problems: pairs (is a problem, sentence)."""
        library = opened()
        found: list[tuple[bool, str]] = []

        def note(context: Any, problem: bool, sentence: Any) -> None:
            found.append((bool(problem), text(sentence)))

        callback = library.ffi.callback("oct_review_log", note)
        check(library.lib.oct_scene_review(self._live(), callback, library.ffi.NULL))
        return found

    def plan(self) -> dict[str, Any]:
        """What a run of it will do: steps, rows, snapshots, the step's length and more."""
        plan = sized("oct_plan")
        check(opened().lib.oct_scene_plan(plan, self._live()))
        names = ("title", "models", "units", "gravity", "integrator", "boundary")
        told: dict[str, Any] = {name: text(getattr(plan, name)) for name in names}
        for name in ("dt", "until", "steps", "rows", "snapshots", "checkpoint_s"):
            told[name] = getattr(plan, name)
        return told

    def close(self) -> None:
        """Gives the scene back to the library; done by itself when nothing refers to it."""
        pointer, self._pointer = getattr(self, "_pointer", None), None
        if pointer is not None and not was_forked():
            opened().lib.oct_scene_free(pointer)

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # at the end of the interpreter nothing is left to call
            pass

    def __reduce__(self) -> Any:
        return Scene, (self.text,)

    def __repr__(self) -> str:
        try:
            return f"<octant.Scene {self._values()['title']!r}>"
        except Exception:
            return "<octant.Scene>"

    def _live(self) -> Any:
        opened()
        pointer: Any | None = getattr(self, "_pointer", None)
        if pointer is None:
            raise ClosedError("the scene was closed")
        return pointer

    def _values(self) -> dict[str, Any]:
        return resolved_values(self.text)

    def _outline(self) -> tuple[dict[str, Any], bool]:
        """A scene that is not whole, or has a bad value, can still be put right."""
        try:
            self._seen = self._values()
        except InputError:
            return self._seen, False
        return self._seen, True

    def _assign(self, key: str, value: Any) -> None:
        if isinstance(value, str):
            check(opened().lib.oct_scene_set_text(self._live(), encode(key), encode(value)))
        else:
            self._assign_text(key, as_text(value))

    def _assign_text(self, key: str, value: str) -> None:
        check(opened().lib.oct_scene_set(self._live(), encode(f"{key}={value}")))


def _parse(out: Any, content: str, label: str) -> None:
    data = encode(content)
    check(opened().lib.oct_scene_parse(out, data, len(data), label.encode()))


def resolved_values(content: str) -> dict[str, Any]:
    """A resolved scene as a dict."""
    return json.loads(taken_text(opened().lib.oct_scene_json, encode(content)))
