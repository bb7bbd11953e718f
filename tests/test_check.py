"""`rag check` on a small library, from file to exit code."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from rag.cli.program import main

FIRST = (
    "We propose EVA-0, a zeroth-order adaptation framework. EVA-0 requires no backpropagation and needs only"
    " two forward passes per sample. It achieves a 14x speed-up over FOA on ImageNet-C."
)
SECOND = (
    "We present AIQL, an offline method for warehouse consolidation. AIQL improves throughput by 20% over a"
    " heuristic baseline using offline data alone."
)
ABSTRACTS = f"Paper list\n\n{FIRST}\n\n{SECOND}\n"
DRAFT = """# Related work

EVA-0 needs two forward passes per sample [1]. It reaches a 40x speed-up over FOA [1].
AIQL improves throughput by 20% over a heuristic baseline [1].

Nobody <b>cites</b> this sentence about throughput \x1b[31mred.

Something else entirely [7].

## References
[1] EVA-0. two.txt#1
"""


pytestmark = pytest.mark.usefixtures("clean_place")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("made")
    (folder / "two.txt").write_text(ABSTRACTS, "utf-8")
    assert main(["ingest", str(folder / "two.txt"), "--library", str(folder / "library"), "--quiet"]) == 0
    return str(folder / "library")


def checked(library: str, draft: str, *options: str, name: str = "draft.md") -> int:
    Path(name).write_text(draft, "utf-8")
    return main(["check", name, "--library", library, *options])


def test_a_draft_is_checked_sentence_by_sentence(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(library, DRAFT, "--json") == 1
    result = json.loads(capsys.readouterr().out)
    assert result["counts"] == {"supported": 1, "partial": 0, "unsupported": 3}
    first, second, third, fourth = result["sentences"]
    assert (first["verdict"], first["line"], first["paper"]["name"]) == ("supported", 3, "EVA-0")
    assert first["quote"].endswith("two forward passes per sample.")
    assert second["reason"] == "the abstract says 14x, not 40x"
    assert third["better"]["paper"]["name"] == "AIQL"
    assert fourth["reason"] == "[7] leads to no paper of the library"


def test_what_is_supported_gives_exit_code_0(library: str) -> None:
    assert checked(library, "EVA-0 needs two forward passes per sample.") == 0


def test_find_checks_sentences_that_cite_nothing(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    draft = "The method improves throughput by 20% over a heuristic baseline. Is it? In this section we rest."
    assert checked(library, draft) == 0
    assert "No sentence cites a paper" in capsys.readouterr().out
    assert checked(library, draft, "--find", "--json") == 0
    (sentence,) = json.loads(capsys.readouterr().out)["sentences"]
    assert (sentence["verdict"], sentence["paper"]["name"]) == ("supported", "AIQL")


def test_text_away_from_a_terminal_is_plain(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    checked(library, DRAFT, "--find")
    out = capsys.readouterr().out
    assert "✗ unsupported  line 3" in out
    assert "\x1b" not in out
    assert "checked: 1 supported" in out


def test_html_is_self_contained_escaped_and_marked_by_words(
    library: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(library, DRAFT, "--find", "--format", "html", name="a<b>.md")
    page = capsys.readouterr().out
    assert "<b>" not in page and "&lt;b&gt;" in page
    assert "http:" not in page and "https:" not in page and "<script" not in page and "\x1b" not in page
    assert "✗ unsupported" in page and "✓ supported" in page
    assert 'tabindex="0"' in page and ":focus" in page


def test_claims_come_back_with_verdict_and_quote(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"id": 1, "claim": "EVA-0 needs two forward passes per sample.", "source": "two.txt#1"},
        {"id": 2, "claim": "EVA-0 needs backpropagation.", "source": "two.txt#1"},
        {"id": 3, "claim": "AIQL improves throughput by 20%."},
        {"id": 4, "claim": "A is B.", "source": "two.txt#99"},
    ]
    code = checked(library, "\n".join(map(json.dumps, lines)), name="claims.jsonl")
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 1
    assert [d["id"] for d in found] == [1, 2, 3, 4]
    assert [d["verdict"] for d in found] == ["supported", "unsupported", "supported", "unsupported"]
    assert found[0]["quote"] == FIRST[found[0]["start"] : found[0]["end"]]
    assert found[3]["reason"] == "two.txt#99 leads to no paper of the library"


def test_claims_may_be_piped_in(
    library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"claim": "AIQL improves throughput by 20%."}\n'))
    assert main(["check", "-", "--library", library]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "supported"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.jsonl", b'{"claim": "x"}\n{', "line 2 is not JSON"),
        ("nan.jsonl", b'{"claim": "x"}\n{"claim": "y", "score": NaN}', "line 2 is not JSON"),
        ("inf.jsonl", b'{"claim": "y", "score": -Infinity}', "line 1 is not JSON"),
        ("bad.md", b"\xff\xfe\x00", "is not text in UTF-8"),
        ("missing.md", None, "cannot be read"),
    ],
)
def test_what_cannot_be_read_gives_exit_code_2(
    library: str, name: str, content: bytes | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    assert main(["check", name, "--library", library]) == 2
    assert message in capsys.readouterr().err


def test_latex_keys_lead_to_papers_by_name(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    draft = "\\section{X}\n" + r"It gets a 14$\times$ speed-up over FOA \cite{smith2024eva0}."
    assert checked(library, draft, "--json", name="draft.tex") == 0
    assert json.loads(capsys.readouterr().out)["sentences"][0]["paper"]["name"] == "EVA-0"


@pytest.mark.parametrize(
    "draft",
    [
        r"\paragraph{Speed.} EVA-0 achieves a 99 times speed-up over FOA \cite{eva0}.",
        r"\section{A} EVA-0 achieves a 99 times speed-up over FOA \cite{eva0}.",
        r"\begin{figure}\caption{EVA-0 achieves a 99 times speed-up over FOA \cite{eva0}.}\end{figure}",
        "| A |\n|---|\n| EVA-0 achieves a 99 times speed-up over FOA [1] |\n\n# References\n[1] two.txt#1\n",
        "# References\n[1] two.txt#1\n## Appendix\nEVA-0 achieves a 99 times speed-up over FOA [1].\n",
    ],
)
def test_a_false_claim_is_found_wherever_it_stands(library: str, draft: str) -> None:
    assert checked(library, draft) == 1


def test_a_sentence_too_long_to_check_says_so(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(library, "more words here " * 6_000 + "[1].\n\n[1]: two.txt#1\n", "--json") == 0
    (sentence,) = json.loads(capsys.readouterr().out)["sentences"]
    assert sentence["verdict"] == "partial"
    assert sentence["reason"].startswith("too long to check: 96")


def test_a_draft_with_private_use_characters_is_checked(library: str) -> None:
    assert checked(library, "EVA-0 needs \ue2005\ue201 forward passes per sample.\n") == 1


BIB = """
@article{smith2021ReefAcoustic, title={Acoustic enrichment brings fish back}, year={2021},
  author={Smith, Jane and García, Luis}, abstract={Patches of rubble with sound attracted twice as many
  fish as silent patches. Species richness rose by 50\\% in 40 days.}}
@article{lee2023reefnet, title={ReefNet: Detecting bleached coral}, author={Lee, Min-Ho and Okafor, Ada},
  year={2023}, abstract={We present ReefNet, a network for drone images. ReefNet maps one hectare in 11
  minutes and reaches an F1 score of 0.87.}}
@article{1, title={Algae on reefs}, author={Kim, A.}, year={2019}, abstract={Algae cover a third of the reef
  flats that were surveyed by divers in the south.}}
@article{kim2019b, title={Wrasses on reefs}, author={Kim, B.}, year={2019}, abstract={Wrasses eat the snails
  that live on corals, and corals without snails grow faster.}}
"""


@pytest.fixture(scope="module")
def reefs(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("reefs")
    (folder / "reefs.bib").write_text(BIB, "utf-8")
    assert main(["ingest", str(folder / "reefs.bib"), "--library", str(folder / "library"), "--quiet"]) == 0
    return str(folder / "library")


def sentences(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    return json.loads(capsys.readouterr().out)["sentences"]


@pytest.mark.parametrize(
    "draft",
    [
        "It maps a hectare in 11 minutes (Lee & Okafor, 2023).",
        "Lee and Okafor (2023) map a hectare in 11 minutes with ReefNet.",
        "With sound, patches attracted twice as many fish (Smith & Garcia 2021; Lee et al., 2023).",
        "According to Smith et al., 2021, sound attracted twice as many fish.",
        r"Sound attracted twice as many fish \citep{smith2021reefacoustic}.",
        "Sound attracted twice as many fish [see @Smith2021ReefAcoustic, p. 3].",
        r"ReefNet maps a hectare in 11 minutes \cite{reefnet}.",
    ],
)
def test_true_citations_of_every_form_are_supported(
    reefs: str, draft: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(reefs, draft, "--json")
    assert [s["verdict"] for s in sentences(capsys)] == ["supported"]


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        (
            "It maps a hectare in 12 minutes (Lee & Okafor 2023).",
            "the abstract says 11 minutes, not 12 minutes",
        ),
        ("Birds are nice (Nobody, 2020).", "(Nobody 2020) leads to no paper of the library"),
        ("Nobody (2020) says that birds are nice.", "(Nobody 2020) leads to no paper of the library"),
        ("Algae cover a third of the flats (Kim 2019).", "(Kim 2019) fits 2 papers of the library"),
        ("Algae cover a third of the flats [1].", "[1] leads to no paper of the library"),
    ],
)
def test_what_a_citation_lacks_is_told_and_its_year_is_no_number(
    reefs: str, draft: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(reefs, draft, "--json") == 1
    (sentence,) = sentences(capsys)
    assert (sentence["verdict"], sentence["reason"]) == ("unsupported", reason)


def test_authors_in_the_sentence_stay_in_what_is_shown(
    reefs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = "Lee and Okafor (2023) map a hectare in 11 minutes with ReefNet."
    checked(reefs, draft, "--json")
    (sentence,) = sentences(capsys)
    assert (sentence["text"], sentence["keys"]) == (draft, ["Lee & Okafor 2023"])


def test_citations_in_a_form_that_is_not_read_are_told(
    reefs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(reefs, "Fish came.[^1] More came [@lee2023reefnet]. Others left [^2].")
    assert "2 citations are in a form that is not read: [^1], [^2]" in capsys.readouterr().err
    checked(reefs, "Fish came [1].")
    assert "not read" not in capsys.readouterr().err


def test_a_file_that_is_no_draft_is_named_and_read_as_text(
    reefs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(reefs, "title,abstract\nReefs,Fish came.\n", name="papers.csv")
    assert "papers.csv is neither a draft" in capsys.readouterr().err
    checked(reefs, "Fish came.", name="draft.tex")
    assert "is neither" not in capsys.readouterr().err


def test_a_file_that_is_not_there_gets_a_hint(reefs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "nofile.md", "--library", reefs]) == 2
    assert "Give a draft (.md, .tex, .txt)" in capsys.readouterr().err
