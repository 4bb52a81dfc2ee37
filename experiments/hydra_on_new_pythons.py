"""Hydra 1.3 on Python 3.14 and later."""

from __future__ import annotations

import argparse
from typing import Any


def tolerate_lazy_help(container: Any = argparse._ActionsContainer) -> None:
    """Keep argparse from looking into help texts that are no strings.

    Hydra 1.3 gives `--shell-completion` an object that becomes a text when it is printed. From Python 3.14 on, argparse
    checks every help text for format characters when an option is added, and that check fails on the object ("badly
    formed help string") before Hydra reads a single word. Texts are still checked; the object is let through, as it was
    before.

    Args:
        container: The class of argparse that has the check; nothing is done where it has none.
    """
    check = getattr(container, "_check_help", None)
    if check is None or getattr(check, "tolerates_lazy_help", False):
        return

    def check_texts_only(self: Any, action: argparse.Action) -> None:
        if action.help is None or isinstance(action.help, str):
            check(self, action)

    check_texts_only.tolerates_lazy_help = True  # pyright: ignore[reportFunctionMemberAccess]
    container._check_help = check_texts_only
