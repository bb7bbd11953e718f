"""PubMed XML and arXiv's feeds, and XML that was made to do harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.domain import Record
from rag.errors import SourceError
from rag.papers import make_paper
from tests.reading import ALPHA, BETA, items, records, told

PUBMED = f"""<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2024//EN" "https://dtd.nlm.nih.gov/x.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">12345678</PMID>
<Article><Journal><JournalIssue><PubDate><Year>2020</Year><Month>May</Month></PubDate></JournalIssue>
<Title>Journal of methods</Title></Journal>
<ArticleTitle>Alpha: a <i>method</i> for H<sub>2</sub>O</ArticleTitle>
<ELocationID EIdType="pii">S1</ELocationID><ELocationID EIdType="doi">10.1234/ABC</ELocationID>
<Abstract><AbstractText Label="BACKGROUND">{ALPHA}</AbstractText>
<AbstractText Label="RESULTS">It gains 5 &lt; 6 points at 10<sup>5</sup> cells.</AbstractText></Abstract>
<AuthorList><Author><LastName>Lovelace</LastName><ForeName>Ada</ForeName></Author>
<Author><CollectiveName>The Group</CollectiveName></Author></AuthorList></Article>
<KeywordList><Keyword>methods</Keyword></KeywordList></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>2</PMID><Article><ArticleTitle>A title alone</ArticleTitle></Article>
</MedlineCitation></PubmedArticle>
</PubmedArticleSet>"""
ATOM = f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">ArXiv Query</title>
<entry><id>http://arxiv.org/abs/2401.01234v2</id><updated>2024-02-01T00:00:00Z</updated>
<published>2023-12-31T18:00:00Z</published><title>Alpha:
  a method</title><summary>  {ALPHA}
</summary><author><name>Ada Lovelace</name></author><author><name>Alan Turing</name></author>
<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1234/ABC</arxiv:doi>
<arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">J. Methods 1 (2024)</arxiv:journal_ref>
<category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/></entry>
<entry><id>http://arxiv.org/abs/hep-th/9901001v1</id><title>Beta</title><summary>{BETA}</summary></entry>
</feed>"""
BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha ha ha ha ha ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;">]>
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle>
<Abstract><AbstractText>&c;&c;&c;&c;</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""


def test_articles_of_pubmed(tmp_path: Path) -> None:
    found = items(tmp_path, PUBMED, "pubmed.xml")
    (record,) = (item for item in found if isinstance(item, Record))
    paper = make_paper(record)
    assert paper.title == "Alpha: a method for H₂O"
    assert paper.text == f"Background: {ALPHA} Results: It gains 5 < 6 points at 10⁵ cells."
    assert (record.authors, record.year) == (("Ada Lovelace", "The Group"), 2020)
    assert (record.venue, record.doi) == ("Journal of methods", "10.1234/abc")
    assert record.url == "https://pubmed.ncbi.nlm.nih.gov/12345678/"
    assert record.extra == {"source_id": "12345678", "keywords": ["methods"]}
    assert told(found) == [("no abstract", 14, "pubmed.xml#2")]


def test_a_feed_of_arxiv(tmp_path: Path) -> None:
    alpha, beta = records(tmp_path, ATOM, "feed.xml")
    assert (alpha.title, alpha.text.strip()) == ("Alpha: a method", ALPHA)
    assert (alpha.authors, alpha.year) == (("Ada Lovelace", "Alan Turing"), 2023)
    assert (alpha.doi, alpha.venue) == ("10.1234/abc", "J. Methods 1 (2024)")
    assert alpha.url == "https://arxiv.org/abs/2401.01234v2"
    assert (alpha.extra["arxiv"], alpha.extra["keywords"]) == ("2401.01234", ["cs.LG"])
    assert (beta.extra["arxiv"], beta.source) == ("hep-th/9901001", "feed.xml#2")


def test_what_stands_before_a_break_is_kept(tmp_path: Path) -> None:
    found = items(tmp_path, ATOM[: ATOM.index("Beta</title>")], "feed.xml")
    assert [item.title for item in found if isinstance(item, Record)] == ["Alpha: a method"]
    assert told(found) == [("unreadable", 10, "feed.xml#2")]


def test_entities_that_multiply_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        items(tmp_path, BILLION_LAUGHS, "pubmed.xml")


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"the secret word {BETA}")
    hostile = ATOM.replace("<feed", f'<!DOCTYPE feed [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]><feed')
    with pytest.raises(SourceError) as caught:
        items(tmp_path, hostile.replace("We propose Alpha", "&x;"), "feed.xml")
    assert "secret word" not in str(caught.value)


def test_deep_nesting_ends_in_words(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        items(tmp_path, "<PubmedArticleSet>" + "<a>" * 200_000, "pubmed.xml")


def test_other_xml_is_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a file of papers that can be read here"):
        items(tmp_path, "<?xml version='1.0'?><svg/>", "plot.xml")


@pytest.mark.parametrize(
    ("tail", "line"), [("<a>" * 250, 3), ("<a></b>", 3), ("<a>", 3)], ids=["deep", "wrong", "cut off"]
)
def test_what_stands_before_a_fault_is_read(tmp_path: Path, tail: str, line: int) -> None:
    article = (
        "<PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Alpha</ArticleTitle>"
        f"<Abstract><AbstractText>{ALPHA}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
    )
    found = items(tmp_path, f'<?xml version="1.0"?>\n<PubmedArticleSet>{article}\n{tail}', "pubmed.xml")
    assert [item.text for item in found if isinstance(item, Record)] == [ALPHA]
    assert [at for _, at, _ in told(found)] == [line]
