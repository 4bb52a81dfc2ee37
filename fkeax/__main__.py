"""``python -m fkeax`` is the ``fkeax`` command."""

import sys

from fkeax.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
