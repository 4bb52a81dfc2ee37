"""Every public name is documented, and the lazy package, its stub, the pages and the folders tell the same story."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fkeax

ROOT = Path(__file__).parents[2]
ROOMS = sorted(module.name for module in pkgutil.iter_modules(fkeax.__path__) if module.ispkg)


def public_members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield (dotted name, object) for all that a module offers, and for what the modules it offers define."""
    names = getattr(module, "__all__", None)
    for name in names if names is not None else sorted(vars(module)):
        item = getattr(module, name)
        if inspect.ismodule(item):
            if names is not None and item.__name__.startswith("fkeax"):
                yield f"{module.__name__}.{name}", item
                yield from public_members(item)
        elif not name.startswith("_") and (names is not None or getattr(item, "__module__", "") == module.__name__):
            yield f"{module.__name__}.{name}", item


def documented_members() -> dict[str, Any]:
    """Return the public functions, classes and modules of every room, and the public methods of the classes."""
    found: dict[str, Any] = {}
    for room in ROOMS:
        module = importlib.import_module(f"fkeax.{room}")
        found[module.__name__] = module
        for name, item in public_members(module):
            if not (inspect.isroutine(item) or inspect.isclass(item) or inspect.ismodule(item)):
                continue  # a constant or a type alias has no docstring of its own
            found[name] = item
            if inspect.isclass(item):
                methods = {key: value for key, value in vars(item).items() if not key.startswith("_")}
                found |= {f"{name}.{key}": value for key, value in methods.items() if inspect.isroutine(value)}
    return found


def test_every_room_lists_its_public_names() -> None:
    without = [room for room in ROOMS if not hasattr(importlib.import_module(f"fkeax.{room}"), "__all__")]
    assert without == []


def test_every_public_name_has_a_docstring() -> None:
    members = documented_members()
    assert len(members) > len(ROOMS)
    # A generated dataclass docstring repeats the signature and says nothing.
    empty = [
        name
        for name, item in members.items()
        if len((doc := inspect.getdoc(item) or "").split()) < 3 or doc.startswith(f"{name.rpartition('.')[2]}(")
    ]
    assert empty == []


@pytest.mark.parametrize("name", [name for name in fkeax.__all__ if not name.startswith("__")])
def test_docstring_names_every_parameter(name: str) -> None:
    item = getattr(fkeax, name)
    doc = inspect.getdoc(item) or ""
    parameters = [parameter for parameter in inspect.signature(item).parameters if parameter != "self"]
    if ":func:`score`" in doc:
        doc += inspect.getdoc(fkeax.score) or ""  # "arguments as score"
    missing = [parameter for parameter in parameters if not re.search(rf"\b{parameter}\b", doc)]
    assert missing == [] or len(parameters) == 1, "only of a sole parameter may a docstring speak without its name"


@pytest.mark.parametrize("name", [name for name in fkeax.__all__ if not name.startswith("__")])
def test_docstring_shows_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(getattr(fkeax, name)) or "")


def test_stub_and_runtime_agree() -> None:
    stub = ast.parse((ROOT / "fkeax" / "__init__.pyi").read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(stub)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(imported) == sorted({*fkeax.__all__, *ROOMS} - {"__version__"})
    for name, home in imported.items():
        module, _, attribute = home.rpartition(".")
        expected = importlib.import_module(home if module == "fkeax" else module)
        assert getattr(fkeax, name) is (expected if module == "fkeax" else getattr(expected, attribute))
    (listed,) = (node.value for node in stub.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == fkeax.__all__


def test_every_room_is_an_attribute() -> None:
    assert all(inspect.ismodule(getattr(fkeax, room)) and room in dir(fkeax) for room in ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_pages_have_a_section_per_room(room: str) -> None:
    assert re.search(rf"^## fkeax\.{room}$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert f"| `{room}` |" in (ROOT / "docs" / "design.md").read_text(encoding="utf-8")


def test_unknown_name_suggests_a_close_one() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'vendy'; did you mean 'vendi'\?"):
        _ = fkeax.vendy  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzy'$"):
        _ = fkeax.xyzzy  # type: ignore[attr-defined]
