from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from rag.embedders import Vectors
from rag.themes import Theme, group
from rag.themes.grouping import MOST_THEMES
from rag.themes.headings import UNNAMED
from rag.themes.layout import MOST_PLACED, layout

ROOT = Path(__file__).parent.parent
SUBJECTS = (
    "graph neural networks",
    "large language models (LLMs)",
    "boundary layers",
    "Bayesian optimization",
)
TEMPLATES = (
    "We study {} and report what was learned.",
    "In this paper, {}: the proposed method demonstrates better results.",
    "Little is known about {}; we say why, and what follows.",
)


def unit(rows: np.ndarray) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def papers(each: int, subjects: int = len(SUBJECTS), dimension: int = 32) -> tuple[Vectors, list[str]]:
    """Return unit rows around one axis for each subject, and a text for each row."""
    random = np.random.default_rng(1)
    rows = np.repeat(np.eye(subjects, dimension), each, axis=0)
    texts = [text_on(SUBJECTS[n % len(SUBJECTS)], place) for n in range(subjects) for place in range(each)]
    return unit(rows + random.normal(0, 0.05, rows.shape)), texts


def text_on(subject: str, place: int) -> str:
    more = " LLMs are many." if place % 2 and "LLM" in subject else ""
    return TEMPLATES[place % len(TEMPLATES)].format(subject) + more


def headings(themes: Sequence[Theme]) -> list[str]:
    return [theme.heading for theme in themes]


def test_papers_of_one_subject_make_one_theme() -> None:
    vectors, texts = papers(10)
    themes = group(vectors, texts)
    assert sorted(sorted(theme.members) for theme in themes) == [
        list(range(n * 10, n * 10 + 10)) for n in range(4)
    ]


def test_headings_are_phrases_as_they_are_written() -> None:
    vectors, texts = papers(10)
    first = {heading.split(",")[0] for heading in headings(group(vectors, texts))}
    assert first == {
        "Graph neural networks",
        "Large language models",
        "Boundary layers",
        "Bayesian optimization",
    }


def test_an_abbreviation_and_its_long_form_are_one_term() -> None:
    vectors, texts = papers(10)
    terms = [term for theme in group(vectors, texts) for term in theme.terms]
    assert "large language models" in terms
    assert not {"LLMs", "LLM", "language models"} & set(terms)


def test_every_paper_is_in_one_theme_and_the_largest_theme_comes_first() -> None:
    vectors, texts = papers(10)
    chosen = [*range(3), *range(10, 19), *range(20, 27), *range(30, 40)]
    themes = group(vectors[chosen], [texts[row] for row in chosen])
    sizes = [len(theme.members) for theme in themes]
    assert sizes == sorted(sizes, reverse=True)
    assert sorted(row for theme in themes for row in theme.members) == list(range(len(chosen)))


def test_the_member_nearest_to_the_middle_comes_first() -> None:
    vectors, texts = papers(9)
    for theme in group(vectors, texts):
        own = vectors[list(theme.members)]
        nearness = own @ own.mean(axis=0)
        assert nearness[0] > nearness.mean() > nearness[-1]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_there_are_at_most_as_many_themes_as_wanted(most: int) -> None:
    vectors, texts = papers(10)
    assert 1 <= len(group(vectors, texts, most=most)) <= most


def test_a_large_pile_has_no_more_themes_than_can_be_read() -> None:
    vectors, texts = papers(60, subjects=32, dimension=48)
    assert len(group(vectors, texts)) <= MOST_THEMES


def test_headings_are_all_different() -> None:
    vectors, _ = papers(6)
    names = headings(group(vectors, ["The very same abstract about bees."] * len(vectors)))
    assert len(set(names)) == len(names) == 4


@pytest.mark.parametrize("count", [1, 2, 3])
def test_so_few_papers_are_one_theme(count: int) -> None:
    vectors, texts = papers(1, subjects=3)
    themes = group(vectors[:count], texts[:count])
    assert [len(theme.members) for theme in themes] == [count]
    assert themes[0].heading


def test_no_papers_have_no_themes() -> None:
    assert group(np.zeros((0, 8), dtype=np.float32), []) == ()


@pytest.mark.parametrize("count", [4, 5, 12, 40])
def test_copies_of_one_paper_are_one_theme(count: int) -> None:
    vectors = unit(np.ones((count, 8)))
    assert [len(t.members) for t in group(vectors, ["Copies of honey bees."] * count)] == [count]


def test_texts_without_words_get_a_heading_all_the_same() -> None:
    vectors, _ = papers(5)
    names = headings(group(vectors, ["§ 12 … !"] * len(vectors)))
    assert names == [UNNAMED, *(f"{UNNAMED} {n}" for n in range(2, 5))]


def test_no_paper_stands_alone_where_it_can_join_others() -> None:
    vectors, texts = papers(10)
    odd = unit(np.ones((1, 32)) * -1.0)
    themes = group(np.vstack([vectors, odd]), [*texts, "An odd one about opera."])
    assert min(len(theme.members) for theme in themes) > 1


def test_the_words_of_the_topic_are_no_heading() -> None:
    vectors, _ = papers(8)
    kinds = ("privacy", "compression", "fairness", "robustness")
    texts = [text_on(f"federated learning, {kinds[n // 8]}", n) for n in range(32)]
    themes = group(vectors, texts, without=frozenset({"federated learning"}))
    assert {theme.heading.split(",")[0].lower() for theme in themes} == set(kinds)


def test_terms_rare_in_the_library_are_preferred() -> None:
    def rarity(terms: Sequence[str]) -> Mapping[str, float]:
        return {term: 9.0 if term.startswith("quokka") else 0.1 for term in terms}

    vectors = unit(np.ones((3, 8)))
    texts = ["Wallabies and quokkas. About wallabies, wallabies."] * 3
    assert group(vectors, texts)[0].heading.startswith("Wallabies")
    assert group(vectors, texts, background=rarity)[0].heading.startswith("Quokkas")


def test_general_words_of_abstracts_are_no_terms() -> None:
    vectors, texts = papers(6)
    terms = {term.lower() for theme in group(vectors, texts) for term in theme.terms}
    assert not {"method", "results", "better results", "demonstrates", "proposed method"} & terms


def test_seeds_are_grouped_alike_in_another_process_with_more_threads(seed_library_path: Path) -> None:
    code = (
        "import json, sys; from rag import Library\n"
        "with Library.open(sys.argv[1]) as library:\n"
        "    print(json.dumps(library.topics(placed=True).to_dict()))"
    )
    outcomes = set()
    for threads in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code, str(seed_library_path)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
            env={"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
        )
        outcomes.add(json.dumps(json.loads(run.stdout)))
    assert len(outcomes) == 1


# -- places ---------------------------------------------------------------------------------------


def test_papers_of_one_subject_stand_together() -> None:
    vectors, _ = papers(15)
    places = layout(vectors)
    for start in range(0, 60, 15):
        own = places[start : start + 15]
        others = np.delete(places, range(start, start + 15), axis=0)
        spread = np.linalg.norm(own - own.mean(axis=0), axis=1).mean()
        assert spread < np.linalg.norm(others - own.mean(axis=0), axis=1).min()


@pytest.mark.parametrize("count", range(13))
@pytest.mark.parametrize("kind", ["different", "copies", "pairs", "zero"])
def test_any_number_of_papers_has_places_inside_the_map(count: int, kind: str) -> None:
    rows = np.random.default_rng(count).normal(size=(count, 8))
    made = {
        "different": rows,
        "copies": np.ones_like(rows),
        "pairs": rows[np.arange(count) // 2],
        "zero": rows * 0 + 1e-12,
    }
    places = layout(unit(made[kind]))
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
    assert ((places >= 0) & (places <= 1)).all()
    assert len(np.unique(places, axis=0)) == count


@pytest.mark.slow
def test_more_papers_than_are_laid_out_stand_near_their_like() -> None:
    random = np.random.default_rng(2)
    subject = np.repeat(np.arange(5), (MOST_PLACED + 1000) // 5)
    vectors = unit(np.eye(5, 16)[subject] + random.normal(0, 0.1, (len(subject), 16)))
    places = layout(vectors)
    middles = np.array([np.median(places[subject == n], axis=0) for n in range(5)])
    nearest = np.linalg.norm(places[:, None] - middles[None], axis=2).argmin(axis=1)
    assert (nearest == subject).mean() > 0.97
