"""Registered dataclasses: leaves, static fields, and structures that tell classes apart."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from fkeax.numerics import pytrees


def _empty_class(name: str, **members: Any) -> Any:
    return pytrees.register(dataclasses.dataclass(frozen=True)(type(name, (), {"__annotations__": {}, **members})))


@pytrees.register
@dataclasses.dataclass(frozen=True)
class Named:
    value: Any
    name: str = dataclasses.field(default="a", metadata={"static": True})


@pytrees.register
@dataclasses.dataclass(frozen=True)
class OtherNamed:
    value: Any
    name: str = dataclasses.field(default="a", metadata={"static": True})


def test_structures_differ_where_classes_do() -> None:
    structure = jax.tree.structure
    assert structure(Named(1.0)) == structure(Named(2.0))
    assert structure(Named(1.0)) != structure(OtherNamed(1.0))
    assert structure(Named(1.0)) != structure(Named(1.0, "b"))
    assert structure(_empty_class("First")()) != structure(_empty_class("Second")())


def test_no_class_runs_the_program_of_another() -> None:
    """With equal structures one pair in eighty takes the wrong program from the cache; the test above is the proof."""
    function = jax.jit(lambda code, x: code(x))
    for i in range(4):
        plus, minus = (
            _empty_class(f"{name}{i}", __call__=lambda self, x, s=s: x + s) for name, s in (("P", 1), ("M", -1))
        )
        assert (int(function(plus(), 0)), int(function(minus(), 0))) == (1, -1)


def test_round_trip_paths_and_transformations() -> None:
    tree = Named({"x": jnp.ones(2)}, "b")
    leaves, structure = jax.tree.flatten(tree)
    assert len(leaves) == 1
    assert jax.tree.unflatten(structure, leaves).name == "b"
    (path, _), *_ = jax.tree_util.tree_flatten_with_path(tree)[0]
    assert jax.tree_util.keystr(path) == ".value['x']"
    mapped = jax.vmap(lambda v: Named(2 * v))(jnp.arange(3.0))
    assert mapped.value.tolist() == [0.0, 2.0, 4.0]
    assert float(jax.grad(lambda t: t.value**2)(Named(3.0)).value) == 6.0


def test_only_dataclasses() -> None:
    with pytest.raises(TypeError, match="cls must be a dataclass; got <class 'int'>"):
        pytrees.register(int)
