from __future__ import annotations

from pathlib import Path

import pytest

from rag import resources
from rag.cli import main
from rag.errors import PromptError
from rag.generate.provider import template
from rag.prompting import FORMS, PROMPTS, PromptShelf, load

GOOD = """---
about: Test.
variables: texts, language, fence
---
## system
Into {{language}}, between {{fence}}.
## user
{{texts}}
## json_object
{"texts": []}
## text
Plain.
## schema
{"type": "object"}
"""


def written(tmp_path: Path, text: str, name: str = "translate.md") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", PROMPTS)
def test_every_prompt_of_the_program_loads_and_has_a_schema(name: str) -> None:
    prompt = PromptShelf().prompt(name)
    assert prompt.about and prompt.schema["type"] == "object" and prompt.variables == PROMPTS[name]


def test_no_prompt_file_is_without_use() -> None:
    assert {p.stem for p in resources.prompts().glob("*.md")} == set(PROMPTS)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{{texts}}", "{{text}}", "unknown variable 'text', missing variable 'texts'"),
        ("{{texts}}", "", "missing variable 'texts'"),
        ("variables: texts,", "variables: extra, texts,", "missing variable"),
        ("language, fence\n", "language\n", "unknown variable 'fence'"),
        ("about: Test.\n", "", "`about`"),
        ("about: Test.", "about: Test.\nauthor: me", "nothing else"),
        ("---\nabout", "about", "front matter"),
        ("## text\n", "## texts\n", "sections"),
        ('{"type": "object"}', "{", "schema is not JSON"),
        ('{"type": "object"}', "[]", "not a JSON object"),
    ],
)
def test_what_does_not_fit_fails_at_load_and_names_the_file(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(PromptError) as caught:
        load(path)
    assert str(path) in caught.value.message and said in caught.value.message
    assert "rag prompts show" in caught.value.hint


def test_a_prompt_that_uses_other_variables_than_the_program_fills_fails_at_load(tmp_path: Path) -> None:
    both = GOOD.replace("texts, language", "texts, tongue, language").replace(
        "{{texts}}", "{{texts}}{{tongue}}"
    )
    with pytest.raises(PromptError, match="unknown variable 'tongue'"):
        load(written(tmp_path, both))


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_bytes(b"\xff\xfe---")
    with pytest.raises(PromptError, match="answer.md"):
        load(path)


def test_values_are_filled_in_once_and_literally(tmp_path: Path) -> None:
    prompt = load(written(tmp_path, GOOD))
    values = {"texts": "{{language}} {x} {{", "language": "Dutch", "fence": "f"}
    system, user = prompt.fill(values, "json_object")
    assert user.text == "{{language}} {x} {{"
    assert system.text == 'Into Dutch, between f.\n\n{"texts": []}'


@pytest.mark.parametrize("values", [{}, {"texts": "", "language": "", "fence": "", "more": ""}])
def test_missing_and_unknown_values_are_refused(tmp_path: Path, values: dict[str, str]) -> None:
    with pytest.raises(PromptError, match="variable"):
        load(written(tmp_path, GOOD)).fill(values)


@pytest.mark.parametrize("form", FORMS)
def test_the_chain_sends_what_the_prompt_says(form: str) -> None:
    for prompt in PromptShelf().all():
        values = {name: f"<{{{name}}}>" for name in prompt.variables}
        sent = template(prompt, form).invoke(values).to_messages()  # type: ignore[arg-type]
        assert [m.content for m in sent] == [m.text for m in prompt.fill(values, form)]  # type: ignore[arg-type]


def test_own_folder_wins_and_the_rest_are_the_program_s(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    shelf = PromptShelf(tmp_path)
    assert shelf.prompt("translate").about == "Test."
    assert shelf.prompt("answer").path.parent == resources.prompts()


def test_a_misnamed_file_or_folder_is_told_of(tmp_path: Path) -> None:
    written(tmp_path, GOOD, "answr.md")
    with pytest.raises(PromptError, match=r"answr\.md"):
        PromptShelf(tmp_path)
    with pytest.raises(PromptError, match="no folder"):
        PromptShelf(tmp_path / "none")


def test_prompts_are_listed_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, GOOD)
    assert main(["prompts", "list", "--prompts-dir", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert [line.split("\t")[0] for line in out.splitlines()] == list(PROMPTS) and str(tmp_path) in out
    assert main(["prompts", "show", "translate", "--prompts-dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out == GOOD
    assert main(["prompts", "show", "anwser"]) == 2
    assert "answer" in capsys.readouterr().err
