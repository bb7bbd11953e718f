from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rag.domain import Answer, AnswerSentence, Citation, Hit, Paper, Reference
from rag.errors import UsageError
from rag.evaluate import beir
from rag.evaluate.cases import Case, read_cases
from rag.evaluate.metrics import f1, mean, ndcg, percentile, precision_recall, recall, reciprocal_rank
from rag.evaluate.questions import run
from rag.evaluate.scores import scores
from rag.ledger import Ledger
from rag.outputs.scores import LABELS, failure_lines, score_rows
from rag.settings import Settings
from rag.text.words import fold_name
from tests.fakes import HashEmbedder
from tests.stub_server import Stub

A = Paper("a", "Alpha", "Alpha is a fast method. It gains 14×.", sources=("f.txt#1",))
B = Paper("b", "Beta", "Beta is a slow method.", sources=("f.txt#2", "g.txt#7"))
C = Paper("c", "Gamma", "Gamma is new.", sources=("f.txt#3",))


class Scripted:
    """A library of three papers that gives prepared answers, and keeps what it was asked."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def ask(self, question: str, history: Sequence[Answer] = ()) -> Answer:
        self.asked.append((question, tuple(answer.question for answer in history)))
        return self.answers[question]

    def papers(self) -> list[Paper]:
        return [A, B, C]

    def search(self, question: str, k: int = 10) -> list[Hit]:
        self.searched = (question, len(self.asked))
        return []


def answer(
    question: str, *papers: Paper, hits: Sequence[Paper] | None = None, start: int = 0, sentences: int = 1
) -> Answer:
    """Quote the first ten characters of each paper, `sentences` times."""
    quoted = [
        AnswerSentence(p.text[:10], (Citation(n, p.id, p.text[:10], start, start + 10),))
        for _ in range(sentences)
        for n, p in enumerate(papers, 1)
    ]
    return Answer(
        question,
        "answered" if papers else "not_found",
        sentences=tuple(quoted),
        references=tuple(Reference(n, p) for n, p in enumerate(papers, 1)),
        hits=tuple(Hit(p, 1.0) for p in (papers if hits is None else hits)),
    )


def case(kind: str, question: str, gold: Sequence[str] = (), must: Sequence[Sequence[str]] = ()) -> Case:
    return Case(question, kind, (question,), frozenset(gold), tuple(map(tuple, must)))


def scored(*pairs: tuple[Case, Answer]) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    library = Scripted({c.turns[-1]: a for c, a in pairs})
    results = run([c for c, _ in pairs], library)
    return dict(scores(results)), [result.faults for result in results]


def test_what_the_first_question_would_load_is_loaded_untimed() -> None:
    library = Scripted({"q": answer("q", A)})
    run([case("fact", "q", ["f.txt#1"])], library)
    question, asked_before = library.searched
    assert (question != "q", asked_before, len(library.asked)) == (True, 0, 1)


# Values worked out by hand; the same as pytrec_eval gives for these rankings.


def test_ndcg_by_hand() -> None:
    relevance = {"x": 2, "y": 1, "z": 0, "w": -1}
    by_hand = (1 / math.log2(2) + 2 / math.log2(4)) / (2 / math.log2(2) + 1 / math.log2(3))
    assert ndcg(["y", "q", "x"], relevance, 10) == pytest.approx(by_hand)
    assert by_hand == pytest.approx(0.7602, abs=1e-4)
    assert ndcg(["y", "q", "x"], relevance, 1) == pytest.approx(0.5)
    assert ndcg(["x", "y"], relevance, 10) == 1.0
    assert ndcg(["w", "z"], relevance, 10) == 0.0
    assert ndcg([], {}, 10) == 0.0


def test_recall_counts_all_relevant_documents_not_only_k() -> None:
    assert recall(["a", "b", "c"], {"a": 1, "c": 1, "d": 3, "e": 0}, 2) == pytest.approx(1 / 3)
    assert recall(["a", "b", "c"], {"a": 1, "c": 1, "d": 3, "e": 0}, 3) == pytest.approx(2 / 3)


def test_reciprocal_rank_stops_at_k() -> None:
    assert reciprocal_rank(["n", "n", "y"], {"y": 1}, 10) == pytest.approx(1 / 3)
    assert reciprocal_rank(["n", "n", "y"], {"y": 1}, 2) == 0.0


def test_set_measures() -> None:
    assert precision_recall("ab", "bcd") == (0.5, pytest.approx(1 / 3))
    assert precision_recall("", "a") == (1.0, 0.0)
    assert f1(0.5, 1 / 3) == pytest.approx(0.4)
    assert f1(0.0, 0.0) == 0.0
    assert mean([]) is None and mean([1, 2]) == 1.5


def test_percentile_is_a_measured_value() -> None:
    assert percentile([4, 1, 3, 2], 0.5) == 2
    assert percentile([4, 1, 3, 2], 0.95) == 4
    assert percentile([7], 0.5) == 7
    assert percentile([], 0.5) is None


def test_a_right_fact_scores_in_every_measure_it_counts_for() -> None:
    numbers, faults = scored((case("fact", "q", ["f.txt#1"], [["ALPHA is", "no"]]), answer("q", A)))
    assert faults == [()]
    for name in ("right_paper_first", "gold_in_first_5", "must_in_short_answer", "citations_resolved", "ok"):
        assert numbers[name] == 1.0
    assert numbers["quotes_verbatim"] == 1.0 and numbers["find_f1_micro"] is None
    assert numbers["latency_p50_ms"] is not None


def test_a_wrong_first_paper_costs_rank_but_not_presence() -> None:
    numbers, _ = scored((case("fact", "q", ["f.txt#1"]), answer("q", A, hits=[B, A])))
    assert (numbers["right_paper_first"], numbers["gold_in_first_5"]) == (0.0, 1.0)


def test_any_source_of_a_paper_counts_as_gold() -> None:
    numbers, _ = scored((case("noisy", "q", ["g.txt#7"]), answer("q", B)))
    assert numbers["right_paper_first"] == 1.0


def test_sixth_hit_is_too_late() -> None:
    others = [Paper(str(n), str(n), "t", sources=(f"o#{n}",)) for n in range(5)]
    numbers, (faults,) = scored((case("fact", "q", ["f.txt#1"]), answer("q", A, hits=[*others, A])))
    assert numbers["gold_in_first_5"] == 0.0
    assert faults == ("not in the first 5: f.txt#1",)


def test_five_sentences_are_too_many_for_a_fact_but_not_for_a_comparison() -> None:
    long = answer("q", A, sentences=5)
    numbers, (faults,) = scored((case("fact", "q", ["f.txt#1"], [["Alpha"]]), long))
    assert numbers["must_in_short_answer"] == 0.0 and "5 sentences" in faults[0]
    numbers, (faults,) = scored((case("compare", "q", ["f.txt#1"], [["Alpha"]]), long))
    assert numbers["compare_must"] == 1.0 and faults == ()


def test_a_missing_fact_is_named() -> None:
    _, (faults,) = scored((case("fact", "q", ["f.txt#1"], [["Alpha"], ["14×", "14x"]]), answer("q", A)))
    assert faults == ("lacks '14×' or '14x'",)


def test_find_f1_micro_and_macro_differ_as_they_should() -> None:
    numbers, _ = scored(
        (case("find", "q1", ["f.txt#1"]), answer("q1", A)),
        (case("find", "q2", ["f.txt#2", "f.txt#3"]), answer("q2", A, B)),
    )
    assert numbers["find_f1_macro"] == pytest.approx((1.0 + 0.5) / 2)
    assert numbers["find_f1_micro"] == pytest.approx(2 / 3)
    assert (numbers["find_precision"], numbers["find_recall"]) == (0.75, 0.75)


def test_the_same_paper_for_two_questions_counts_twice_in_the_micro_average() -> None:
    numbers, _ = scored(
        (case("find", "q1", ["f.txt#1"]), answer("q1", A)), (case("find", "q2", ["f.txt#2"]), answer("q2", A))
    )
    assert numbers["find_f1_micro"] == pytest.approx(0.5)


def test_not_found_precision_and_recall_run_over_the_whole_set() -> None:
    numbers, faults = scored(
        (case("none", "q1"), answer("q1", hits=[A])),
        (case("none", "q2"), answer("q2", A)),
        (case("fact", "q3", ["f.txt#1"]), answer("q3", hits=[A])),
    )
    assert (numbers["not_found_precision"], numbers["not_found_recall"]) == (0.5, 0.5)
    assert faults[0] == () and "papers do not say" in faults[1][0] and "papers say" in faults[2][0]


def test_questions_without_gold_do_not_count_as_missing_facts() -> None:
    numbers, _ = scored((case("fact", "q"), answer("q")))
    assert numbers["must_in_short_answer"] is None and numbers["ok"] == 1.0


def test_shifted_quote_and_unlisted_paper_are_counted() -> None:
    shifted = answer("q1", A, start=1)
    unlisted = Answer("q2", "answered", sentences=answer("q2", A).sentences, references=(Reference(1, B),))
    numbers, faults = scored(
        (case("fact", "q1", ["f.txt#1"]), shifted), (case("topic", "q2", ["f.txt#1"]), unlisted)
    )
    assert (numbers["citations_resolved"], numbers["quotes_verbatim"]) == (0.5, 0.0)
    assert "quote of [1]" in faults[0][0] and "leads to no paper" in faults[1][0]


def test_conversation_is_asked_in_order_with_its_history() -> None:
    library = Scripted({q: answer(q, A) for q in ("one", "two", "three")})
    (result,) = run([Case("x", "followup", ("one", "two", "three"), frozenset({"f.txt#1"}))], library)
    assert library.asked == [("one", ()), ("two", ("one",)), ("three", ("one", "two"))]
    assert result.answer.question == "three"


def test_every_score_has_a_label_and_failures_are_listed() -> None:
    results = run([case("fact", "q", ["f.txt#1"], [["zzz"]])], Scripted({"q": answer("q", A)}))
    numbers = scores(results)
    assert {name for name in numbers if not name.startswith("ok_")} == set(LABELS)
    assert ("right in every respect: fact", "0.000") in list(score_rows(numbers))
    assert [line.text for line in failure_lines(results)] == ["q (fact) q", "lacks 'zzz'"]


def test_results_are_json_with_the_answer() -> None:
    (result,) = run([case("fact", "q", ["f.txt#1"])], Scripted({"q": answer("q", A)}))
    value = json.loads(json.dumps(result.to_dict()))
    assert (value["id"], value["type"], value["ok"], value["faults"]) == ("q", "fact", True, [])
    assert value["answer"]["references"][0]["paper"]["source"] == "f.txt#1"


def test_question_file_is_read_with_defaults(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(
        '\ufeff{"question": "a?"}\n\n{"id": "z", "turns": ["x", "y"], "type": "followup"}\n', "utf-8"
    )
    first, second = read_cases(path)
    assert (first.id, first.type, first.turns, first.gold) == ("1", "fact", ("a?",), frozenset())
    assert (second.id, second.turns) == ("z", ("x", "y"))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "`question`"),
        ('{"question": " "}', "`question`"),
        ('{"turns": "abc"}', "`question`"),
        ('{"question": "q", "gold": "f#1"}', "`gold`"),
        ('{"question": "q", "must": ["a"]}', "`must`"),
        ('{"question": "q", "must": [[]]}', "`must`"),
        ('{"question": "q", "type": "riddle"}', "`type`"),
        ('{"question": "q", "type": ["fact"]}', "`type`"),
    ],
)
def test_malformed_question_is_a_usage_error_naming_the_line(
    tmp_path: Path, line: str, complaint: str
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f'{{"question": "fine"}}\n{line}\n', "utf-8")
    with pytest.raises(UsageError, match="line 2") as caught:
        read_cases(path)
    assert complaint in caught.value.message and caught.value.exit_code == 2


def test_empty_question_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("\n")
    with pytest.raises(UsageError, match="no questions"):
        read_cases(tmp_path / "q.jsonl")


def beir_folder(path: Path, corpus: Sequence[Mapping[str, Any]], qrels: str) -> Path:
    (path / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in corpus), "utf-8")
    (path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "fast"}\n{"_id": "2", "text": "unjudged"}\n', "utf-8"
    )
    (path / "qrels.tsv").write_text(qrels, "utf-8")
    return path


CORPUS = [
    {"_id": "d#01", "title": "T", "text": "same text"},
    {"_id": "d2", "text": "same text"},
    {"_id": "d3", "title": "only a title", "text": ""},
    {"_id": "d4", "text": "other", "metadata": {"year": 1999}},
]


def test_collection_skips_documents_without_text_and_queries_without_judgements(tmp_path: Path) -> None:
    folder = beir_folder(
        tmp_path, CORPUS, "query-id\tcorpus-id\tscore\n1\td2\t1\n1\td4\t0\n2\td4\t0\n9\td4\t1\n"
    )
    collection = beir.read_collection(folder)
    assert [record.source for record in collection.records] == [
        "corpus.jsonl#1",
        "corpus.jsonl#2",
        "corpus.jsonl#4",
    ]
    assert collection.documents["corpus.jsonl#1"] == "d#01"
    assert (dict(collection.queries), collection.without_text) == ({"1": "fast"}, 1)
    assert collection.relevance["1"] == {"d2": 1, "d4": 0}
    assert collection.records[2].extra == {"year": 1999}


def test_documents_with_one_text_all_count(tmp_path: Path) -> None:
    collection = beir.read_collection(beir_folder(tmp_path, CORPUS, "1\td#01\t1\n1\td2\t1\n1\td4\t1\n"))
    papers = [
        Paper("p", "P", "same text", sources=("corpus.jsonl#1", "corpus.jsonl#2")),
        Paper("o", "O", "other", sources=("corpus.jsonl#4",)),
    ]
    rankings = {"words": ["o", "p"], "vectors": ["p"], "fused": ["p", "o"]}
    table = beir.score(collection, lambda question, k: rankings, beir.documents_of(papers, collection))
    assert table["fused"] == {"ndcg@10": 1.0, "recall@5": 1.0, "recall@20": 1.0, "mrr@10": 1.0}
    assert table["vectors"]["recall@5"] == pytest.approx(2 / 3)


def test_a_qrels_folder_is_read_too(tmp_path: Path) -> None:
    beir_folder(tmp_path, CORPUS, "nonsense\n")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("1\td2\t1\n")
    assert beir.read_collection(tmp_path).relevance == {"1": {"d2": 1}}


@pytest.mark.parametrize("qrels", ["1 d2 1\n", "1\td2\tmuch\n"])
def test_bad_judgement_names_file_and_line(tmp_path: Path, qrels: str) -> None:
    with pytest.raises(UsageError, match=r"qrels\.tsv, line 1"):
        beir.read_collection(beir_folder(tmp_path, CORPUS, qrels))


def test_documents_that_begin_alike_get_names_apart(tmp_path: Path) -> None:
    title = "the occurrence of the fibrinolytic enzyme system in blood and some"
    same = {"_id": "d0", "title": f"{title} organ 0", "text": "Text of number 0."}
    documents = [
        {"_id": f"d{n}", "title": f"{title} organ {n}", "text": f"Text of number {n}."} for n in range(12)
    ]
    collection = beir.read_collection(beir_folder(tmp_path, [*documents, same], "1\td1\t1\n"))
    beir.fill(tmp_path / "library", collection.records, HashEmbedder())
    with Ledger.open(tmp_path / "library") as ledger:
        papers = ledger.papers()
    assert len({fold_name(paper.name) for paper in papers}) == len(papers) == 12
    assert papers[0].sources == ("corpus.jsonl#1", "corpus.jsonl#13")


def test_a_collection_is_scored_with_an_embedder_on_a_server(tmp_path: Path) -> None:
    folder = beir_folder(tmp_path, CORPUS, "1\td2\t1\n")
    with Stub() as stub:
        settings = Settings(embedder="openai:embed-1", openai_base_url=stub.url, openai_api_key="sk-x")
        assert set(beir.run(folder, settings)) == {"vectors", "words", "fused"}
        assert stub.asked


def test_folder_that_is_no_collection_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"corpus\.jsonl cannot be read"):
        beir.read_collection(tmp_path)
