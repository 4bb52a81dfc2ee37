"""Sphinx: pages in Markdown, notebooks executed once, the interface from the docstrings. Builds without a network."""

import os
from pathlib import Path

import fkeax

# Kernels inherit it: with Agg, which the Makefile sets, notebooks would show no figure.
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"

project = "fkeax"
author = "The fkeax contributors"
copyright = author
version = release = fkeax.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinxcontrib.bibtex",
]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "conf.py", "examples", "diversity/make_figures.py"]

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

# Notebooks are percent scripts; their outputs are kept, under a hash of their code, until the code changes.
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parent / "_build" / "notebooks")
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True

html_theme = "furo"
html_title = f"fkeax {version}"

# Signatures show the annotations as they are written, shapes included; aliases and defaults stay short.
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
python_maximum_signature_line_length = 100
napoleon_numpy_docstring = False
napoleon_custom_sections = ["Cost"]
napoleon_use_ivar = True
napoleon_attr_annotations = False
default_role = "code"


def _shorten(app, what, name, obj, options, signature, return_annotation):
    """Show `Float[Array, 'n d']`, as the source has it, not the address of JAX's array class."""
    return tuple(text and text.replace("jaxlib._jax.Array", "Array") for text in (signature, return_annotation))


def setup(app):
    app.connect("autodoc-process-signature", _shorten)
