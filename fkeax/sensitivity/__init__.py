"""Which changes a metric can see at a sample budget: controlled changes, predictions, spectral summaries."""

from fkeax.sensitivity.audit import Audit, audit, summarize
from fkeax.sensitivity.cells import Cell, CellName, named_key
from fkeax.sensitivity.changed import Changed, InfeasibleChange
from fkeax.sensitivity.changes import CHANGES, Change, apply_change
from fkeax.sensitivity.corpus import Corpus, describe_corpus
from fkeax.sensitivity.detectability import samples_needed, smallest_detectable
from fkeax.sensitivity.detectors import DETECTORS, Detector, Effort
from fkeax.sensitivity.four_questions import Answer, FourQuestions, four_questions
from fkeax.sensitivity.gaussian_laws import GaussianLaw, gaussian_kernel_mmd2, kid_mmd2, wide_expansion
from fkeax.sensitivity.location_covariance import location_covariance
from fkeax.sensitivity.power import PowerGrid, Rate, Study, grid_cost, power_cells, rejection_rates
from fkeax.sensitivity.prediction import Prediction, predict_from_rows, predict_gaussian, predict_leading
from fkeax.sensitivity.spectral_summaries import spectral_summaries
from fkeax.sensitivity.study import arms_of, prepare_study

__all__ = [
    "CHANGES",
    "DETECTORS",
    "Answer",
    "Audit",
    "Cell",
    "CellName",
    "Change",
    "Changed",
    "Corpus",
    "Detector",
    "Effort",
    "FourQuestions",
    "GaussianLaw",
    "InfeasibleChange",
    "PowerGrid",
    "Prediction",
    "Rate",
    "Study",
    "apply_change",
    "arms_of",
    "audit",
    "describe_corpus",
    "four_questions",
    "gaussian_kernel_mmd2",
    "grid_cost",
    "kid_mmd2",
    "location_covariance",
    "named_key",
    "power_cells",
    "predict_from_rows",
    "predict_gaussian",
    "predict_leading",
    "prepare_study",
    "rejection_rates",
    "samples_needed",
    "smallest_detectable",
    "spectral_summaries",
    "summarize",
    "wide_expansion",
]
