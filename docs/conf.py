"""Sphinx: pages in Markdown, the interface from the docstrings. Builds without a network."""

import fkeax

project = "fkeax"
author = "The fkeax contributors"
copyright = author
version = release = fkeax.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
exclude_patterns = ["_build"]

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
