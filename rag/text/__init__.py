"""Words on the page: LaTeX to readable Unicode, sentence spans, index terms and folded names."""

from __future__ import annotations
