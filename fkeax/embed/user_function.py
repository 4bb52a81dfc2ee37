"""Any Python function as an encoder: `module:function`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.embed.encoder import DEFAULT_WINDOWS, EncodeBatch, Encoder


def user_encoder(name: str) -> Encoder:
    """Return the encoder that calls a function of the user's.

    The function takes a list of images (arrays of bytes, height x width x 3), of texts, or of sounds (3 s of mono
    float32 samples at 16 kHz each) and returns a row of numbers for each. Its module is imported from the working
    folder or the Python path, which runs its code.

    Args:
        name: "module:function".

    Raises:
        ValueError: It has no such form.
    """
    module, colon, function = name.partition(":")
    if not colon or not module or not function.isidentifier():
        raise ValueError(f"model must be of the form module:function, such as my_models:embed, got {name!r}.")

    def load() -> EncodeBatch:
        called = _find(name, module, function)

        def encode(batch: Sequence[Any]) -> np.ndarray:
            rows = np.asarray(called(list(batch)))
            if rows.ndim != 2 or len(rows) != len(batch) or rows.dtype.kind not in "fiub":
                raise ValueError(
                    f"{name} must return a row of numbers for each of {len(batch)} items, got shape {rows.shape}, "
                    f"dtype {rows.dtype}."
                )
            return rows.astype(np.float32)

        return encode

    return Encoder(
        name=name,
        modality="any",
        dimension=None,
        preprocessing="What the function does.",
        licence="The user's own.",
        load=load,
        windows=DEFAULT_WINDOWS,
        fingerprint=None,
    )


def _find(name: str, module: str, function: str) -> Callable[[list[Any]], Any]:
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name is None or (module != error.name and not module.startswith(f"{error.name}.")):
            raise  # the module was found, and fails at an import of its own
        raise ValueError(
            f"model {name!r}: there is no module {module!r} in the working folder or on the Python path."
        ) from None
    except AttributeError:
        raise ValueError(f"model {name!r}: the module {module!r} has no function {function!r}.") from None
    finally:
        sys.path.remove(here)
    if not callable(found):
        raise ValueError(f"model {name!r}: {function!r} is not a function but of type {type(found).__name__}.")
    return found
