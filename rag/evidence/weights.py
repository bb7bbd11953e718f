"""The fitted weights of `rag.evidence`; written by `bench/fit_evidence.py`, not by hand."""

from __future__ import annotations

from rag.evidence.linear import LinearModel

# sentence: feature, mean, scale, weight
_SENTENCE = (
    ("similarity", 0.4065, 0.1833, 0.0889),
    ("holds", 0.0835, 0.2420, 0.3542),
    ("unmet", 0.2686, 0.4432, -0.5247),
    ("position", 0.5000, 0.3307, 0.4952),
    ("first", 0.1333, 0.3399, -0.5370),
    ("length", 0.5645, 0.2365, 0.1668),
    ("telling", 0.2554, 0.2632, 0.5868),
    ("telling_gap", -0.4561, 0.3003, 0.3992),
)
SENTENCE = LinearModel.of(_SENTENCE, -2.2040)

# paper: feature, mean, scale, weight
_PAPER = (
    ("best_sentence", 0.1936, 0.1196, 0.5364),
    ("best_coverage", 0.1044, 0.1952, 0.3048),
    ("words", 0.1217, 0.2350, 0.4180),
    ("standing", 0.0445, 0.9579, 1.2046),
    ("agreement", 0.0348, 0.0904, 0.0873),
    ("terms", 0.6104, 0.3480, 0.2279),
    ("kinship", 0.1403, 0.1669, 0.9361),
)
PAPER = LinearModel.of(_PAPER, -6.6488)

# fact: feature, mean, scale, weight
_FACT = (
    ("similarity", 0.4797, 0.1965, 0.4859),
    ("best_sentence", 0.5844, 0.1827, 0.0481),
    ("unknown", 0.3529, 0.2423, 0.0538),
    ("unknown_names", 0.1423, 0.4325, -0.5199),
    ("wants", 0.4837, 0.4997, -0.4632),
    ("holds", 0.5843, 0.2735, 0.6913),
    ("words", 2.8137, 0.6837, 0.5452),
    ("asked_here", 0.6886, 0.4133, 0.1733),
    ("met_here", 0.2555, 0.1873, 0.5133),
)
FACT = LinearModel.of(_FACT, 1.2027)

# list: feature, mean, scale, weight
_LIST = (
    ("belonging", 3.4387, 2.0327, 0.6784),
    ("two_best", 2.6139, 2.0437, 0.9665),
    ("best_sentence", 0.5314, 0.1278, 1.2849),
    ("coverage", 0.6166, 0.3067, 0.3589),
    ("rarest_unknown", 2.6091, 2.0519, -0.5268),
)
LIST = LinearModel.of(_LIST, 2.2009)
