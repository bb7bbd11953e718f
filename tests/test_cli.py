from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.cli import main

ROOT = Path(__file__).parent.parent
ABSTRACTS = """Two abstracts

Deep networks forget. We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory and \
loses 3% of its accuracy after ten tasks.

Ants find food by smell. We introduce AntWalk, a model of how ants search. AntWalk explains 85% of the paths \
of 40 ants in the field.
"""


pytestmark = pytest.mark.usefixtures("clean_place")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two papers; tests that change it make their own."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "two.txt").write_text(ABSTRACTS, "utf-8")
    assert main(["ingest", str(folder / "two.txt"), "--library", str(folder / "library"), "--quiet"]) == 0
    return folder / "library"


@pytest.fixture
def own_library(tmp_path: Path) -> Path:
    (tmp_path / "two.txt").write_text(ABSTRACTS, "utf-8")
    assert main(["ingest", "two.txt", "--library", "own", "--quiet"]) == 0
    return tmp_path / "own"


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdin", stream)
    yield stream


def rag(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rag", *arguments], capture_output=True, text=True, cwd=ROOT, **options
    )  # type: ignore[call-overload,no-any-return]


def test_help_lists_every_command_and_loads_nothing_heavy(capsys: pytest.CaptureFixture[str]) -> None:
    code = "import sys, rag.cli; rag.cli.main(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    for name in ("ingest", "ask", "search", "papers", "eval", "doctor", "config"):
        assert re.search(rf"^  {name} ", done.stdout, re.MULTILINE)
    for heavy in (
        "numpy",
        "chromadb",
        "openai",
        "rich",
        "langchain_core",
        "onnxruntime",
        "tantivy",
        "dotenv",
    ):
        assert f"'{heavy}'" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["aks", "q"], "there is no command 'aks'. Did you mean ask?"),
        (["ask", "q", "--jsn"], "--json"),
        (["ask", "q", "--json", "--markdown"], "choose one"),
        (["search", "-k", "0", "q"], "-k"),
        (["ingest"], "PATH"),
        (["ingest", "nowhere.txt"], "nowhere.txt"),
        (["papers", "export", "--format", "xml"], "bibtex"),
        (["eval"], "FILE"),
    ],
)
def test_wrong_usage_is_told_on_stderr_with_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err
    first, hint = err.splitlines()
    assert first.startswith("error: ") and re.fullmatch(r"See: rag( \w+)* --help", hint)


@pytest.mark.parametrize("words", [[], ["-"], ["  "]])
def test_no_question_is_wrong_usage(
    words: list[str], piped: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", *words]) == 2
    assert "there is no question" in capsys.readouterr().err


def test_wrong_setting_is_code_2_and_a_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_EVIDENCE_TOKENS", "lots")
    assert main(["ask", "q"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: RAG_EVIDENCE_TOKENS (environment) is 'lots'")
    assert err.endswith("\nSee all settings with: rag config\n")


def test_config_shows_all_that_is_wrong_and_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_text("RAG_LIBARY=x\nRAG_TIMEOUT_S=never\nRAG_MODEL=auto\n")
    assert main(["config"]) == 2
    out, err = capsys.readouterr()
    assert "model\tauto\t.env" in out and "timeout_s\t60\tdefault" in out
    assert [line for line in err.splitlines() if line.startswith("error: ")] == [
        "error: .env: there is no setting RAG_LIBARY. Did you mean RAG_LIBRARY?",
        "error: RAG_TIMEOUT_S (.env) is 'never'; it must be a number of seconds from 0.1 to 3600",
    ]


def test_config_shows_values_origins_and_masks_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-1234567890abcdefghij\nRAG_MODEL=from-file\n")
    monkeypatch.setenv("RAG_MODEL", "from-environment")
    assert main(["config", "--json", "--library", "shelf"]) == 0
    out, _ = capsys.readouterr()
    rows = {row["name"]: (row["value"], row["origin"]) for row in json.loads(out)["settings"]}
    assert rows["library"] == ("shelf", "flag")
    assert rows["model"] == ("from-environment", "environment")
    assert rows["openai_api_key"] == ("…ghij", ".env")
    assert json.loads(out)["files"][".env"] == str(tmp_path / ".env")
    assert main(["config"]) == 0
    assert "sk-1234567890" not in out + capsys.readouterr().out


def test_options_for_all_commands_work_before_and_after_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--library", "shelf", "config"], ["config", "--library", "shelf"]):
        main(arguments)
        assert "library\tshelf\tflag" in capsys.readouterr().out


def test_unknown_variable_is_a_warning_that_quiet_silences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_LIBARY", "x")
    main(["config"])
    assert "warning: the environment variable RAG_LIBARY" in capsys.readouterr().err
    main(["config", "--quiet"])
    assert capsys.readouterr().err == ""


def test_unexpected_error_is_one_line_and_debug_shows_where(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rag.outputs.terminal.print_table", None)
    assert main(["config"]) == 1
    err = capsys.readouterr().err
    assert "this is a bug" in err and "--debug" in err and "Traceback" not in err
    assert main(["config", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_reader_that_leaves_early_causes_no_noise() -> None:
    program = f"{sys.executable} -m rag ask --help | true; {sys.executable} -m rag config --json | head -c 1"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""


def test_ask_in_no_library_names_the_command_that_makes_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "anything?", "--library", "none"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and "rag ingest" in err
    assert not Path("none").exists()


@pytest.mark.parametrize("embedder", ["openai:text-embedding-3-small", "word2vec"])
def test_an_ingest_that_cannot_embed_leaves_no_library_behind(
    embedder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "two.txt").write_text(ABSTRACTS, "utf-8")
    monkeypatch.setenv("RAG_EMBEDDER", embedder)
    assert main(["--library", "other", "ingest", "two.txt"]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not Path("other").exists()


def test_an_empty_library_says_so_with_the_next_command(
    own_library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["papers", "remove", "TinyNet", "AntWalk", "--yes", "--quiet", "--library", "own"]) == 0
    capsys.readouterr()
    for asking in (["ask", "What is TinyNet?"], ["search", "ants"], ["papers", "show", "TinyNet"]):
        assert main([*asking, "--library", "own"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err == (
            "error: The library in own is empty.\nRead papers into it with: rag --library own ingest PATH\n"
        )
    assert main(["papers", "list", "--library", "own"]) == 0
    assert capsys.readouterr().err == "0 papers\n"


def test_ingest_reports_what_was_added_and_what_was_there(
    own_library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ingest", "two.txt", "--library", "own"]) == 0
    assert capsys.readouterr().out.startswith("0 papers added, 2 already there (1 file, ")


def test_ingest_names_each_file_that_failed_and_exits_1(
    own_library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    assert main(["ingest", "two.txt", "empty.txt", "--library", "own"]) == 1
    out, err = capsys.readouterr()
    assert err == ("failed empty.txt: the file is empty. Check that it was written to its end.\n")
    assert "0 papers added, 2 already there, 1 file failed (2 files, " in out


def test_a_folder_is_read_past_files_of_other_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    assert main(["ingest", "in", "--library", "own"]) == 1
    out, err = capsys.readouterr()
    assert err == "skipped in: there is nothing to read in it\n" and out.startswith("0 papers added")
    (folder / "two.txt").write_text(ABSTRACTS, "utf-8")
    (folder / "scores.csv").write_text("a,b\n")
    assert main(["ingest", "in", "--library", "own"]) == 0
    out, err = capsys.readouterr()
    assert err == "left out scores.csv: a table without a column of abstracts.\n"
    assert "2 papers added, 0 already there, 1 file left out (1 file, " in out


def test_the_place_of_a_paper_that_left_is_shown_as_gone(
    own_library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heading, _, ants = ABSTRACTS.split("\n\n")
    (tmp_path / "two.txt").write_text(f"{heading}\n\n{ants}", "utf-8")
    main(["ingest", "two.txt", "--library", "own", "--quiet"])
    capsys.readouterr()
    assert main(["papers", "list", "--library", "own"]) == 0
    places = [tuple(line.split("\t")[:2]) for line in capsys.readouterr().out.splitlines()]
    assert places == [("TinyNet", "two.txt#1 (gone)"), ("AntWalk", "two.txt#1")]
    assert main(["papers", "show", "two.txt#1", "--library", "own"]) == 0
    assert capsys.readouterr().out.startswith("AntWalk\n")
    assert main(["papers", "list", "--json", "--library", "own"]) == 0
    gone = {p["name"]: (p["source"], p["source_gone"]) for p in json.loads(capsys.readouterr().out)}
    assert gone == {"TinyNet": ("two.txt#1", True), "AntWalk": ("two.txt#1", False)}


def test_changed_file_names_the_papers_that_left_it(
    own_library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "two.txt").write_text(ABSTRACTS.partition("Ants")[0], "utf-8")
    assert main(["ingest", "two.txt", "--library", "own"]) == 0
    err = capsys.readouterr().err
    assert "no longer in its file: AntWalk" in err and "--sync" in err
    assert main(["ingest", "--sync", "two.txt", "--library", "own"]) == 0
    assert "1 removed" in capsys.readouterr().out


def test_answer_goes_to_stdout_with_reference_and_quote(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", "How", "much", "memory", "does", "TinyNet", "need?", "--library", str(library)]) == 0
    out, err = capsys.readouterr()
    assert "12 MB" in out and "[1] TinyNet · two.txt#1" in out and "“" in out
    assert err == ""


def test_question_may_be_piped_in(
    library: Path, piped: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    piped.write("How much memory does TinyNet need?\n")
    piped.seek(0)
    assert main(["ask", "--json", "--library", str(library)]) == 0
    assert json.loads(capsys.readouterr().out)["question"] == "How much memory does TinyNet need?"


def test_json_answer_quotes_what_stands_in_the_paper(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", "--json", "How many ants does AntWalk explain?", "--library", str(library)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert main(["papers", "show", "AntWalk", "--json", "--library", str(library)]) == 0
    text = json.loads(capsys.readouterr().out)["text"]
    citations = [c for s in answer["sentences"] for c in s["citations"]]
    assert citations and all(text[c["start"] : c["end"]] == c["quote"] for c in citations)


def test_markdown_answer_has_numbered_references(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--markdown", "How much memory does TinyNet need?", "--library", str(library)]) == 0
    assert "\n1. TinyNet · two.txt\\#1" in capsys.readouterr().out


def test_what_the_papers_do_not_say_is_code_3(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "Who won the 2022 football world cup?", "--library", str(library)]) == 3
    assert capsys.readouterr().out.startswith("These papers do not answer this.")


def test_search_says_why(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "-k", "1", "ants search food", "--library", str(library)]) == 0
    rank, name, source, _, why, words = capsys.readouterr().out.rstrip("\n").split("\t")
    assert (rank, name, source) == ("1", "AntWalk", "two.txt#2")
    assert "words 1" in why and words.startswith("Ants find food")


def test_papers_are_listed_shown_and_exported(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "list", "--library", str(library)]) == 0
    out, err = capsys.readouterr()
    assert [line.split("\t")[0] for line in out.splitlines()] == ["TinyNet", "AntWalk"] and "2 papers" in err
    assert main(["papers", "show", "tinynet", "--library", str(library)]) == 0
    assert "loses 3% of its accuracy after ten tasks." in capsys.readouterr().out
    for form, read in (("jsonl", str.splitlines), ("csv", lambda t: list(csv.reader(io.StringIO(t)))[1:])):
        assert main(["papers", "export", "--format", form, "--library", str(library)]) == 0
        assert len(read(capsys.readouterr().out)) == 2
    assert main(["papers", "export", "--format", "bibtex", "--library", str(library)]) == 0
    assert capsys.readouterr().out.count("@misc{") == 2


@pytest.mark.parametrize("typed", ["TinyNat", "Tiny", "tiny net work", "TinyNetwork"])
def test_a_name_that_is_only_similar_removes_nothing(
    typed: str, own_library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["papers", "remove", typed, "--yes", "--library", "own"]) == 2
    err = capsys.readouterr().err
    assert f"no paper is called {typed!r}; did you mean this?\n  TinyNet  (two.txt#1)\n" in err
    main(["papers", "list", "--library", "own"])
    assert "2 papers" in capsys.readouterr().err


def test_show_lists_the_papers_that_hold_the_words(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "show", "paths", "ant", "--library", str(library)]) == 2
    assert "did you mean this?\n  AntWalk  (two.txt#2)\n" in capsys.readouterr().err
    assert main(["papers", "show", "we", "--library", str(library)]) == 2
    err = capsys.readouterr().err
    assert "one of these?\n  TinyNet  (two.txt#1)\n  AntWalk  (two.txt#2)\n" in err


def test_a_paper_answers_to_its_id_its_source_and_every_spelling_of_its_name(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["papers", "list", "--json", "--library", str(library)]) == 0
    tiny = json.loads(capsys.readouterr().out)[0]
    for typed in (tiny["id"], tiny["id"][:8], "two.txt#1", "TinyNet", "tiny-net", "TINY NET"):
        assert main(["papers", "show", typed, "--library", str(library)]) == 0
        assert capsys.readouterr().out.startswith("TinyNet\n")
    assert main(["papers", "show", tiny["id"][:7], "--library", str(library)]) == 2


def test_unknown_paper_is_wrong_usage(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "show", "no such paper", "--library", str(library)]) == 2
    assert "rag papers list" in capsys.readouterr().err


def test_remove_without_a_yes_changes_nothing(
    own_library: Path, piped: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["papers", "remove", "AntWalk", "--library", "own"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert main(["papers", "remove", "AntWalk", "--yes", "--library", "own"]) == 0
    capsys.readouterr()
    assert main(["papers", "list", "--json", "--library", "own"]) == 0
    assert [paper["name"] for paper in json.loads(capsys.readouterr().out)] == ["TinyNet"]


def test_doctor_finds_a_sound_library_in_order(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json", "--library", str(library)])
    found = {check["name"]: check["severity"] for check in json.loads(capsys.readouterr().out)}
    for name in ("python", "embedder", "library", "ledger", "vectors", "indexes", "writer"):
        assert found[name] == "ok", name


def test_doctor_without_a_library_says_how_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--library", "none"])
    out = capsys.readouterr().out
    assert "warn library: there is no library at none yet" in out and "rag ingest PATH" in out
    assert not Path("none").exists()


def test_doctor_repairs_indexes_that_were_lost(own_library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("vectors", "words"):
        shutil.rmtree(own_library / name)
        (own_library / f"{name}.json").unlink()
    assert main(["doctor", "--repair", "--json", "--library", "own"]) == 0
    out, err = capsys.readouterr()
    assert "made again from the ledger: 2 papers" in err
    assert {c["name"]: c["severity"] for c in json.loads(out)}["indexes"] == "ok"
    assert (own_library / "vectors").is_dir() and (own_library / "words").is_dir()


def test_eval_prints_scores_and_results(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {
            "id": "a",
            "question": "How much memory does TinyNet need?",
            "gold": ["two.txt#1"],
            "must": [["12 MB"]],
        },
        {"id": "b", "type": "none", "question": "Who won the 2022 football world cup?", "gold": []},
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["eval", "q.jsonl", "--json", "--library", str(library)]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["scores"]["right_paper_first"] == 1.0 and value["scores"]["quotes_verbatim"] == 1.0
    assert [(r["id"], r["answer"]["status"]) for r in value["results"]] == [
        ("a", "answered"),
        ("b", "not_found"),
    ]
    assert main(["eval", "q.jsonl", "--failures", "--library", str(library)]) == 0
    assert "right paper first (fact, noisy)\t1.000" in capsys.readouterr().out


def test_eval_of_a_retrieval_collection_scores_every_ranking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = [
        {
            "_id": "d1",
            "title": "Ants",
            "text": "Ants find food by smell and follow the trails of other ants.",
        },
        {"_id": "d2", "title": "", "text": "Deep networks forget what they learned on the tasks before."},
        {"_id": "d3", "title": "", "text": "Deep networks forget what they learned on the tasks before."},
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "how do ants find food"}\n{"_id": "2", "text": "forgetting in networks"}\n'
    )
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t1\n2\td2\t1\n2\td3\t1\n")
    assert main(["eval", "--beir", str(tmp_path), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert set(scores) >= {"vectors", "words", "fused"}
    assert scores["fused"] == {"ndcg@10": 1.0, "recall@5": 1.0, "recall@20": 1.0, "mrr@10": 1.0}


def shell(line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'"$0" -m rag "$@" {line}', sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize("arguments", [("ask",), ("check", "-"), ("papers", "remove", "TinyNet")])
def test_a_closed_stdin_is_wrong_usage(library: Path, arguments: tuple[str, ...]) -> None:
    done = shell("<&-", *arguments, "--library", str(library))
    assert done.returncode == 2
    assert "error: " in done.stderr and "bug" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("line", [">&-", "> /dev/full"])
@pytest.mark.parametrize("arguments", [("ask", "What is TinyNet?"), ("papers", "list"), ("--help",)])
def test_output_that_cannot_be_written_is_one_line(
    library: Path, arguments: tuple[str, ...], line: str
) -> None:
    given = arguments if arguments == ("--help",) else (*arguments, "--library", str(library), "--quiet")
    done = shell(line, *given)
    assert done.returncode == 1
    assert re.fullmatch(r"error: the output cannot be written: .+\n", done.stderr)


@pytest.mark.parametrize("line", ["2> /dev/full", "2>&-"])
def test_remarks_that_cannot_be_written_do_not_fail_the_answer(library: Path, line: str) -> None:
    done = shell(line, "papers", "list", "--library", str(library))
    assert done.returncode == 0 and "TinyNet" in done.stdout


def test_an_interrupt_that_a_module_reports_as_failed_import_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    monkeypatch.setattr("rag.cli.program.import_module", load)
    assert main(["ask", "What is TinyNet?"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("table", ["papers", "chunks"])
def test_doctor_tells_of_a_lost_table_and_what_to_do(
    own_library: Path, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(own_library / "ledger.sqlite")) as db:
        db.execute(f"DROP TABLE {table}")
        db.commit()
    capsys.readouterr()
    assert main(["doctor", "--library", str(own_library), "--json"]) == 1
    out, err = capsys.readouterr()
    found = {check["name"]: check for check in json.loads(out)}
    assert found["library"]["severity"] == "fail" and "Restore a backup" in found["library"]["remedy"]
    assert "bug" not in err


def test_papers_may_be_piped_in_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for said in ("2 papers added, 0 already there", "0 papers added, 2 already there"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ABSTRACTS.encode("utf-16"))))
        assert main(["ingest", "-", "--library", "own"]) == 0
        assert said in capsys.readouterr().out
    assert main(["papers", "list", "--library", "own"]) == 0
    assert re.search(r"stdin-[0-9a-f]{8}#1\b", capsys.readouterr().out)


def test_nothing_piped_in_is_wrong_usage(piped: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ingest", "-", "--library", "own"]) == 2
    assert "nothing was piped in" in capsys.readouterr().err


def test_what_is_skipped_is_counted_by_its_kind_and_not_all_of_it_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"title": f"Title {n}", "abstract": ""} for n in range(9)]
    rows += [{"title": "Short", "abstract": "Too short."}, {"title": "Whole", "abstract": "We try it. " * 9}]
    (tmp_path / "p.json").write_text(json.dumps(rows, indent=0))
    assert main(["ingest", "p.json", "--library", "own"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("1 paper added, 0 already there, 10 skipped (9 no abstract; 1 too short) (1 file, ")
    assert "skipped p.json#1:2: no abstract: “Title 0”\n" in err
    assert "skipped p.json: … and 4 more (no abstract)\n" in err
    assert len(err.splitlines()) == 7


def test_a_strict_ingest_stops_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.json").write_text('[{"title": "A", "abstract": "n/a"}]')
    assert main(["ingest", "--strict", "p.json", "--library", "own"]) == 1
    assert capsys.readouterr().err == (
        "error: p.json: #1, line 1: no abstract: “A”\n"
        "Nothing of this file was stored. Mend it, or ingest it without --strict.\n"
    )


def test_every_format_can_be_forced() -> None:
    from rag.cli.ingest import FORMATS as named
    from rag.cli.ingest import LIMIT, MOST
    from rag.fetch import LIMIT as LIMIT_THERE
    from rag.fetch import MOST as MOST_THERE
    from rag.sources import FORMATS

    # The command line repeats them, to show its help without loading the readers.
    assert sorted(named) == sorted(form.name for form in FORMATS)
    assert (LIMIT, MOST) == (LIMIT_THERE, MOST_THERE)


@pytest.mark.parametrize(
    "command", [("ingest", "{}"), ("ingest", "--watch", "{}"), ("papers", "--library", "{}"), ("check", "{}")]
)
def test_a_name_no_file_can_have_is_told(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format("a" * 300) for word in command]) in (1, 2)
    err = capsys.readouterr().err
    assert err.startswith("error: ") and "bug" not in err


def test_of_many_files_that_fail_some_are_named_and_the_rest_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_LIBRARY", str(tmp_path / "library"))
    for number in range(30):
        (tmp_path / f"bad{number:02}.json").write_text("[", "utf-8")
    assert main(["ingest", *(str(path) for path in sorted(tmp_path.glob("bad*.json")))]) == 1
    err = capsys.readouterr().err
    assert err.count("failed bad") == 20 and "failed 10 other files" in err
