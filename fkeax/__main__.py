"""``python -m fkeax`` is the ``fkeax`` command."""

from fkeax.cli.main import main

main()
