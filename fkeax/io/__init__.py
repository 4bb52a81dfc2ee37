"""Files in and out: feature files, result files, content hashes, atomic writes and provenance.

Every fault of a file is one sentence that names the file, what was expected and what came. Nothing here unpickles, and
nothing leaves a half-written file behind.
"""

from __future__ import annotations

from fkeax.io.atomic import check_writable, open_atomic, write_bytes, write_npz, write_text
from fkeax.io.cache import ResultCache
from fkeax.io.cell_store import CellStore
from fkeax.io.content_hash import sha256_of_array, sha256_of_file
from fkeax.io.feature_file import FeatureFile
from fkeax.io.label_files import load_labels
from fkeax.io.load_features import feature_paths, load_features
from fkeax.io.provenance import check_inputs, describe_environment, describe_file, describe_run
from fkeax.io.result_files import ResultFile, read_json, read_results, write_json, write_results
from fkeax.io.result_tables import check_table_path, read_table, write_table
from fkeax.io.state_files import read_state, write_state

__all__ = [
    "CellStore",
    "FeatureFile",
    "ResultCache",
    "ResultFile",
    "check_inputs",
    "check_table_path",
    "check_writable",
    "describe_environment",
    "describe_file",
    "describe_run",
    "feature_paths",
    "load_features",
    "load_labels",
    "open_atomic",
    "read_json",
    "read_results",
    "read_state",
    "read_table",
    "sha256_of_array",
    "sha256_of_file",
    "write_bytes",
    "write_json",
    "write_npz",
    "write_results",
    "write_state",
    "write_table",
    "write_text",
]
