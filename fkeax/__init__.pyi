from fkeax import assets as assets
from fkeax import cli as cli
from fkeax import datasets as datasets
from fkeax import diversity as diversity
from fkeax import embed as embed
from fkeax import features as features
from fkeax import frontier as frontier
from fkeax import inference as inference
from fkeax import io as io
from fkeax import kernels as kernels
from fkeax import numerics as numerics
from fkeax import quantize as quantize
from fkeax import report as report
from fkeax import results as results
from fkeax import sensitivity as sensitivity
from fkeax import twosample as twosample
from fkeax.diversity import conditional_vendi as conditional_vendi
from fkeax.diversity import curve as curve
from fkeax.diversity import finc as finc
from fkeax.diversity import fkea as fkea
from fkeax.diversity import inception_score as inception_score
from fkeax.diversity import ken as ken
from fkeax.diversity import modes as modes
from fkeax.diversity import per_class as per_class
from fkeax.diversity import rke as rke
from fkeax.diversity import rke_from_gram as rke_from_gram
from fkeax.diversity import rrke as rrke
from fkeax.diversity import scendi as scendi
from fkeax.diversity import score as score
from fkeax.diversity import spec as spec
from fkeax.diversity import truncated_vendi as truncated_vendi
from fkeax.diversity import vendi as vendi
from fkeax.diversity import vendi_from_gram as vendi_from_gram
from fkeax.diversity import vendi_from_spectrum as vendi_from_spectrum
from fkeax.frontier import mauve as mauve
from fkeax.io import load_features as load_features
from fkeax.kernels import Cosine as Cosine
from fkeax.kernels import Gaussian as Gaussian
from fkeax.kernels import LaplaceL1 as LaplaceL1
from fkeax.kernels import LaplaceL2 as LaplaceL2
from fkeax.kernels import Linear as Linear
from fkeax.kernels import Matern as Matern
from fkeax.kernels import Polynomial as Polynomial
from fkeax.kernels import RationalQuadratic as RationalQuadratic
from fkeax.results import Result as Result
from fkeax.sensitivity import apply_change as apply_change
from fkeax.sensitivity import audit as audit
from fkeax.sensitivity import four_questions as four_questions
from fkeax.sensitivity import samples_needed as samples_needed
from fkeax.sensitivity import smallest_detectable as smallest_detectable
from fkeax.twosample import cmmd as cmmd
from fkeax.twosample import frechet as frechet
from fkeax.twosample import kad as kad
from fkeax.twosample import kid as kid
from fkeax.twosample import mmd as mmd
from fkeax.twosample import mmd_fuse as mmd_fuse
from fkeax.twosample import mmdagg as mmdagg
from fkeax.twosample import prdc as prdc
from fkeax.twosample import two_sample_test as two_sample_test

__all__ = [
    "Cosine",
    "Gaussian",
    "LaplaceL1",
    "LaplaceL2",
    "Linear",
    "Matern",
    "Polynomial",
    "RationalQuadratic",
    "Result",
    "__version__",
    "apply_change",
    "audit",
    "cmmd",
    "conditional_vendi",
    "curve",
    "finc",
    "fkea",
    "four_questions",
    "frechet",
    "inception_score",
    "kad",
    "ken",
    "kid",
    "load_features",
    "mauve",
    "mmd",
    "mmd_fuse",
    "mmdagg",
    "modes",
    "per_class",
    "prdc",
    "rke",
    "rke_from_gram",
    "rrke",
    "samples_needed",
    "scendi",
    "score",
    "smallest_detectable",
    "spec",
    "truncated_vendi",
    "two_sample_test",
    "vendi",
    "vendi_from_gram",
    "vendi_from_spectrum",
]

__version__: str

def __dir__() -> list[str]: ...
