from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rag.embedders import EmbedderIdentity, Vectors
from rag.embedders.minilm import MiniLM
from rag.errors import RagError
from rag.evidence.role_features import places, word_features
from rag.evidence.roles import ROLES, WEIGHTS, RoleModel, RoleWeights, load_roles, posteriors, save_roles

ABSTRACT = (
    "Deep neural networks are widely used in many applications, but they are known to be fragile.",
    "However, existing defences have received little attention in recent years.",
    "The aim of this study is to investigate how robust these networks are.",
    "We train a convolutional network with stochastic gradient descent, and then prune its layers.",
    "Experimental results show that our approach outperforms the state of the art by 12%.",
    "© 2015 Elsevier Ltd. All rights reserved.",
)
PLAIN_ROLES = ("background", "background", "objective", "method", "result", "other")
DEV = Path(__file__).parents[2] / "shared" / "data" / "csabstruct" / "dev.jsonl"


@pytest.fixture(scope="module")
def roles() -> RoleModel:
    return load_roles()


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    return MiniLM(threads=1).embed_documents(ABSTRACT)


def test_plain_sentences_get_their_roles(roles: RoleModel, vectors: Vectors) -> None:
    assert roles.choose(ABSTRACT, vectors) == PLAIN_ROLES


def test_plain_sentences_get_their_roles_without_vectors(roles: RoleModel) -> None:
    assert roles.choose(ABSTRACT, None) == PLAIN_ROLES


def test_chances_are_one_row_a_sentence_that_sums_to_one(roles: RoleModel, vectors: Vectors) -> None:
    for given in (vectors, None):
        chances = roles.chances(ABSTRACT, given)
        assert chances.shape == (len(ABSTRACT), len(ROLES)) and chances.dtype == np.float64
        assert chances.sum(axis=1) == pytest.approx(1) and (chances >= 0).all()


def test_vectors_of_the_models_embedder_are_used(roles: RoleModel, vectors: Vectors) -> None:
    assert not np.allclose(roles.chances(ABSTRACT, vectors), roles.chances(ABSTRACT, None))


@pytest.mark.parametrize("dimension", [256, 1536, 0])
def test_vectors_of_another_length_are_left_aside(roles: RoleModel, dimension: int) -> None:
    other = np.ones((len(ABSTRACT), dimension), dtype=np.float32)
    assert (roles.chances(ABSTRACT, other) == roles.chances(ABSTRACT, None)).all()


def test_another_embedder_of_the_same_length_is_told_apart(roles: RoleModel) -> None:
    assert roles.reads(MiniLM(threads=1).identity)
    assert not roles.reads(EmbedderIdentity("other", 384, "0"))


def test_too_few_vectors_are_refused(roles: RoleModel, vectors: Vectors) -> None:
    with pytest.raises(ValueError, match="1 vectors for 6 sentences"):
        roles.chances(ABSTRACT, vectors[:1])


def test_no_sentences_give_no_rows(roles: RoleModel) -> None:
    for given in (None, np.zeros((0, 384), dtype=np.float32)):
        assert roles.chances([], given).shape == (0, len(ROLES))
        assert roles.choose([], given) == ()


def test_one_sentence_has_a_role(roles: RoleModel, vectors: Vectors) -> None:
    assert roles.choose(ABSTRACT[4:5], vectors[4:5]) == ("result",)
    assert roles.choose(ABSTRACT[4:5], None) == ("result",)


@pytest.mark.parametrize("text", ["", " ", "。", "研究结果表明", "é" * 50_000, "we " * 20_000, "\ud800"])
def test_odd_sentences_still_have_chances(roles: RoleModel, text: str) -> None:
    assert roles.chances([text, text], None).sum(axis=1) == pytest.approx(1)


def test_a_very_long_text_has_finite_chances(roles: RoleModel) -> None:
    assert np.isfinite(roles.chances(ABSTRACT * 300, None)).all()


def test_chances_are_those_of_all_chains_counted_one_by_one() -> None:
    random = np.random.default_rng(3)
    weights = small_weights(random)
    scores = random.normal(size=(3, 5))
    expected = np.zeros((3, 5))
    for chain in np.ndindex(5, 5, 5):
        total = weights.start[chain[0]] + weights.end[chain[2]] + sum(scores[i, chain[i]] for i in range(3))
        total += weights.steps[chain[0], chain[1]] + weights.steps[chain[1], chain[2]]
        for i in range(3):
            expected[i, chain[i]] += np.exp(total)
    expected /= expected.sum(axis=1, keepdims=True)
    assert posteriors(scores, weights) == pytest.approx(expected)


def small_weights(random: np.random.Generator) -> RoleWeights:
    shapes = {"words": (2, 5), "places": (25, 5), "vectors": (3, 5), "steps": (5, 5)}
    return RoleWeights(**{n: random.normal(size=shapes.get(n, 5)) for n in RoleWeights.__slots__})


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    weights = small_weights(np.random.default_rng(5))
    model = RoleModel({"we": 0, "^ we": 1}, EmbedderIdentity("tiny", 3, "abc"), weights, weights)
    save_roles(model, tmp_path / "roles.npz")
    back = load_roles(tmp_path / "roles.npz")
    assert (back.vocabulary, back.embedder) == (model.vocabulary, model.embedder)
    assert back.with_vectors.words == pytest.approx(weights.words, rel=1e-3)
    assert back.without.steps == pytest.approx(weights.steps, rel=1e-3)


@pytest.mark.parametrize("content", [None, b"", b"text", b"PK\x03\x04 cut"])
def test_missing_or_damaged_weights_are_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "roles.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RagError, match=r"roles\.npz") as caught:
        load_roles(path)
    assert "pip install" in caught.value.hint


def test_the_weights_are_small_and_say_where_they_come_from() -> None:
    assert WEIGHTS.stat().st_size < 1_000_000
    notice = WEIGHTS.with_name("roles.NOTICE.txt").read_text("utf-8")
    assert "CSAbstruct" in notice and "Apache" in notice


def test_word_features_hold_words_pairs_and_signs() -> None:
    found = word_features("Here we show a 12% gain, see https://x.org")
    assert {"we", "we show", "^ here we show", "^here", "^^gain", "we>show", "0", "#share", "#link"} <= found


def test_places_tell_first_and_last() -> None:
    rows = places(3)
    assert rows.shape == (3, 25)
    assert rows[0, 0] == rows[2, 6] == 1 and rows[0, 6] == rows[2, 0] == 0
    assert places(1).shape == (1, 25) and places(0).shape == (0, 25)


@pytest.mark.skipif(not DEV.is_file(), reason="the CSAbstruct abstracts are not part of this project")
def test_roles_of_labelled_abstracts_without_vectors(roles: RoleModel) -> None:
    assert macro_f1(roles, None) >= 0.63


@pytest.mark.slow
@pytest.mark.skipif(not DEV.is_file(), reason="the CSAbstruct abstracts are not part of this project")
def test_roles_of_labelled_abstracts(roles: RoleModel) -> None:
    assert macro_f1(roles, MiniLM()) >= 0.64


def macro_f1(roles: RoleModel, embedder: MiniLM | None) -> float:
    from sklearn.metrics import f1_score

    chosen: list[str] = []
    right: list[str] = []
    for line in DEV.read_text("utf-8").splitlines():
        row = json.loads(line)
        texts = row["sentences"]
        chosen += roles.choose(texts, embedder.embed_documents(texts) if embedder else None)
        right += row["labels"]
    return float(f1_score(right, chosen, average="macro"))
