"""The description of tensors within a file of torch.save, read without running anything.

The description is a pickle. It is not unpickled: the few instructions that torch.save writes are followed here, names
stay names, and a call is carried out only for the functions below, which put numbers together. Any other call leaves an
:class:`Unknown` in its place.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fkeax.io.array_faults import BFLOAT16

_STORAGES = {
    **{"DoubleStorage": "f8", "FloatStorage": "f4", "HalfStorage": "f2", "BFloat16Storage": BFLOAT16},
    **{"LongStorage": "i8", "IntStorage": "i4", "ShortStorage": "i2", "CharStorage": "i1"},
    **{"ByteStorage": "u1", "BoolStorage": "?", "ComplexFloatStorage": "c8", "ComplexDoubleStorage": "c16"},
}
_OTHER_STORAGE = "V1"
_MOST_STEPS = 10_000_000


@dataclass(frozen=True)
class Unknown:
    """What a name, or a call that is not carried out, leaves in its place.

    Attributes:
        name: The dotted name.
    """

    name: str


@dataclass(frozen=True)
class Storage:
    """The numbers that tensors share, somewhere in the file.

    Attributes:
        key: Under which they are kept.
        dtype: Of the numbers; of untyped bytes if it is not known.
        num_values: How many.
    """

    key: str
    dtype: np.dtype
    num_values: int


@dataclass(frozen=True)
class Tensor:
    """A window on a storage; numbers are counted in values, not bytes."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Mark:
    pass


_MARK = _Mark()


def read_description(stream: Any) -> Any:
    """Follow one pickle of torch.save up to its end and return what it describes.

    Args:
        stream: An open binary file, at the start of the pickle; left at its end.

    Returns:
        Numbers, strings, lists, tuples and dictionaries of :class:`Tensor`, :class:`Storage` and :class:`Unknown`.

    Raises:
        ValueError: An instruction is none that torch.save writes, or makes no sense.
    """
    machine = _Machine()
    for step, (opcode, argument, _) in enumerate(pickletools.genops(stream)):
        if step > _MOST_STEPS:
            raise ValueError("it has too many parts")
        if opcode.name == "STOP":
            return machine.stack.pop()
        follow = _INSTRUCTIONS.get(opcode.name)
        if follow is None:
            raise ValueError(f"its description holds the instruction {opcode.name}, which torch.save does not write")
        follow(machine, argument)
    raise ValueError("its description has no end")


class _Machine:
    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def since_mark(self) -> list[Any]:
        place = len(self.stack) - 1
        while self.stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise ValueError("its description closes what was never opened")
        taken = self.stack[place + 1 :]
        del self.stack[place:]
        return taken

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self, num_values: int) -> list[Any]:
        if len(self.stack) < num_values or any(value is _MARK for value in self.stack[-num_values:]):
            raise ValueError("its description takes more than there is")
        taken = self.stack[-num_values:]
        del self.stack[-num_values:]
        return taken

    def memoize(self, place: int) -> None:
        self.memo[place] = self.stack[-1]

    def call(self) -> None:
        function, arguments = self.pop(2)
        name = function.name if isinstance(function, Unknown) else ""
        self.push(_CALLS[name](*arguments) if name in _CALLS else Unknown(name or "an unknown function"))

    def build(self) -> None:
        self.pop(1)  # the state of an object that was not made

    def append(self, values: list[Any]) -> None:
        if isinstance(self.stack[-1], list):
            self.stack[-1].extend(values)
        elif not isinstance(self.stack[-1], Unknown):
            raise ValueError("its description appends to what is no list")

    def set_items(self, values: list[Any]) -> None:
        if isinstance(self.stack[-1], dict):
            # A key that is no word or number belongs to an object of which nothing is made.
            pairs = zip(values[::2], values[1::2], strict=True)
            self.stack[-1].update((key, value) for key, value in pairs if isinstance(key, (str, int, float, bool)))
        elif not isinstance(self.stack[-1], Unknown):
            raise ValueError("its description fills what is no dictionary")


def _storage(kind: Unknown, key: Any, num_values: int) -> Storage:
    _, _, name = kind.name.rpartition(".")
    if num_values < 0:
        raise ValueError(f"its description holds a storage of {num_values} values")
    return Storage(str(key), np.dtype(_STORAGES.get(name, _OTHER_STORAGE)), num_values)


def _persistent(machine: _Machine) -> None:
    (identity,) = machine.pop(1)
    if not isinstance(identity, tuple) or len(identity) < 5 or identity[0] != "storage":
        raise ValueError("its description refers to what is no storage")
    machine.push(_storage(identity[1], identity[2], int(identity[4])))


def _tensor(storage: Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: Any) -> Tensor:
    numbers = (offset, *shape, *strides)
    if len(shape) != len(strides) or not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(f"its description holds a tensor of shape {shape} and strides {strides}")
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if 0 not in shape and last >= storage.num_values:
        raise ValueError(f"its description holds a tensor of shape {shape} on {storage.num_values} values")
    return Tensor(storage, offset, tuple(shape), tuple(strides))


_CALLS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_parameter": lambda data, *_: data,
    "collections.OrderedDict": lambda *_: {},
}


def _constant(value: Any) -> Callable[[_Machine, Any], None]:
    return lambda machine, _: machine.push(value)


def _take(num_values: int) -> Callable[[_Machine, Any], None]:
    return lambda machine, _: machine.push(tuple(machine.pop(num_values)))


_INSTRUCTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "PROTO": lambda machine, _: None,
    "FRAME": lambda machine, _: None,
    "MARK": _constant(_MARK),
    "NONE": _constant(None),
    "NEWTRUE": _constant(True),
    "NEWFALSE": _constant(False),
    **dict.fromkeys(
        (
            *("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
            *("BINBYTES", "SHORT_BINBYTES", "SHORT_BINSTRING", "BINSTRING"),
        ),
        lambda machine, argument: machine.push(argument),
    ),
    "EMPTY_TUPLE": _constant(()),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "EMPTY_SET": lambda machine, _: machine.push(Unknown("set")),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.since_mark())),
    "TUPLE1": _take(1),
    "TUPLE2": _take(2),
    "TUPLE3": _take(3),
    "APPEND": lambda machine, _: machine.append(machine.pop(1)),
    "APPENDS": lambda machine, _: machine.append(machine.since_mark()),
    "ADDITEMS": lambda machine, _: machine.append(machine.since_mark()),
    "SETITEM": lambda machine, _: machine.set_items(machine.pop(2)),
    "SETITEMS": lambda machine, _: machine.set_items(machine.since_mark()),
    "BINPUT": lambda machine, place: machine.memoize(place),
    "LONG_BINPUT": lambda machine, place: machine.memoize(place),
    "MEMOIZE": lambda machine, _: machine.memoize(len(machine.memo)),
    "BINGET": lambda machine, place: machine.push(machine.memo[place]),
    "LONG_BINGET": lambda machine, place: machine.push(machine.memo[place]),
    "GLOBAL": lambda machine, name: machine.push(Unknown(name.replace(" ", "."))),
    "STACK_GLOBAL": lambda machine, _: machine.push(Unknown(".".join(map(str, machine.pop(2))))),
    "REDUCE": lambda machine, _: machine.call(),
    "NEWOBJ": lambda machine, _: machine.call(),
    "BUILD": lambda machine, _: machine.build(),
    "BINPERSID": lambda machine, _: _persistent(machine),
}
