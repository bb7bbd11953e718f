"""Tell the language of a question: text → ISO 639-1 code and English name."""

from __future__ import annotations

from functools import cache
from typing import Any

# The languages people are likely to ask in. Fewer candidates make short questions safer to tell.
LANGUAGES = {
    "en": "English", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "de": "German", "fr": "French",
    "es": "Spanish", "pt": "Portuguese", "it": "Italian", "nl": "Dutch", "pl": "Polish", "ru": "Russian",
    "uk": "Ukrainian", "tr": "Turkish", "ar": "Arabic", "fa": "Persian", "he": "Hebrew", "hi": "Hindi",
    "vi": "Vietnamese", "th": "Thai", "id": "Indonesian", "sv": "Swedish", "da": "Danish", "fi": "Finnish",
    "cs": "Czech", "el": "Greek", "hu": "Hungarian", "ro": "Romanian",
}  # fmt: skip
ENGLISH = "en"
# A Latin-script text must be this much likelier in another language (log odds) before it is held to be so:
# misspelt English and lists of names look like all sorts of languages.
_MARGIN = 15.0


def language_of(text: str) -> str:
    """Return the code of the language `text` is written in, one of LANGUAGES; "en" when in doubt."""
    scores = dict(_identifier().rank(text))
    best = max(scores, key=lambda code: scores[code])
    if best == ENGLISH:
        return ENGLISH
    sure = not _mostly_latin(text) or scores[best] - scores[ENGLISH] >= _MARGIN
    return best if sure else ENGLISH


def _mostly_latin(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return sum(ord(c) < 0x250 for c in letters) >= 0.7 * len(letters)


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(LANGUAGES))
    return identifier
