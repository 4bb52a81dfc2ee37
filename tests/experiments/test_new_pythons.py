"""Hydra 1.3 starts where argparse looks into help texts, as it does from Python 3.14 on."""

from __future__ import annotations

import argparse

import pytest

from experiments.hydra_on_new_pythons import tolerate_lazy_help


class Lazy:
    """A help text that is no string yet, as Hydra's."""

    def __repr__(self) -> str:
        return "later"


class StrictParser(argparse.ArgumentParser):
    """The check that Python 3.14 added."""

    def add_argument(self, *names: str, **options: object) -> argparse.Action:
        action = super().add_argument(*names, **options)  # pyright: ignore[reportArgumentType]
        self._check_help(action)
        return action

    def _check_help(self, action: argparse.Action) -> None:
        if action.help and "%" in action.help:
            raise ValueError("badly formed help string")


def test_a_lazy_text_is_let_through_and_others_are_checked() -> None:
    class Parser(StrictParser):
        def _check_help(self, action: argparse.Action) -> None:
            super()._check_help(action)

    with pytest.raises(TypeError):
        Parser(add_help=False).add_argument("--completion", action="store_true", help=Lazy())
    tolerate_lazy_help(Parser)
    tolerate_lazy_help(Parser)
    parser = Parser(add_help=False)
    parser.add_argument("--completion", action="store_true", help=Lazy())
    with pytest.raises(ValueError, match="badly formed"):
        parser.add_argument("--other", help="100 %")


def test_older_pythons_are_left_alone() -> None:
    class Older:
        """Has no check."""

    tolerate_lazy_help(Older)
    assert not hasattr(Older, "_check_help")
