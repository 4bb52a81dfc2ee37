"""The digits the tests use are the ones they name."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers import mnist


def test_cache_folder_can_be_moved(monkeypatch, tmp_path):
    monkeypatch.setenv("FKEAX_CACHE", str(tmp_path))
    assert mnist.cache_folder() == tmp_path


def test_first_of_each_digit_keeps_natural_order():
    labels = np.tile(np.arange(3, dtype=np.uint8), 300)
    pixels = np.repeat(labels[:, None], 4, axis=1)
    rows = mnist.first_of_each_digit(pixels, labels, 2)
    assert rows.shape == (400, 4)
    np.testing.assert_array_equal(rows[:, 0] * 255.0, np.repeat([0.0, 1.0], 200))


@pytest.mark.slow
def test_packaged_digits():
    pixels, labels = mnist.packaged_digits()
    assert pixels.shape == (5000, 784)
    np.testing.assert_array_equal(np.bincount(labels), np.full(10, 500))
