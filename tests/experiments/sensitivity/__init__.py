"""Experiments of the sensitivity paper."""
