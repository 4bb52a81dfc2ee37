"""Files in and out: feature files, result files, content hashes, atomic writes and provenance.

Every fault of a file is one sentence that names the file, what was expected and what came. Nothing here unpickles, and
nothing leaves a half-written file behind.
"""

from __future__ import annotations

from fkeax.io.atomic import check_writable, open_atomic, write_bytes, write_npz, write_text
from fkeax.io.content_hash import sha256_of_file
from fkeax.io.feature_files import FeatureFile, open_features
from fkeax.io.provenance import describe_run
from fkeax.io.result_files import ResultFile, read_results, write_json, write_results

__all__ = [
    "FeatureFile",
    "ResultFile",
    "check_writable",
    "describe_run",
    "open_atomic",
    "open_features",
    "read_results",
    "sha256_of_file",
    "write_bytes",
    "write_json",
    "write_npz",
    "write_results",
    "write_text",
]
