"""The fitted weights of `rag.evidence`; written by `bench/fit_evidence.py`, not by hand."""

from __future__ import annotations

from rag.evidence.linear import LinearModel

# sentence: feature, mean, scale, weight
_SENTENCE = (
    ("similarity", 0.4065, 0.1833, 0.0868),
    ("holds", 0.0897, 0.2604, 0.3162),
    ("unmet", 0.2690, 0.4434, -0.5261),
    ("position", 0.5000, 0.3307, 0.4942),
    ("first", 0.1333, 0.3399, -0.5358),
    ("length", 0.5645, 0.2365, 0.1768),
    ("telling", 0.2554, 0.2632, 0.5953),
    ("telling_gap", -0.4561, 0.3003, 0.3977),
)
SENTENCE = LinearModel.of(_SENTENCE, -2.2009)

# paper: feature, mean, scale, weight
_PAPER = (
    ("best_sentence", 0.1936, 0.1196, 0.5354),
    ("best_coverage", 0.1044, 0.1952, 0.3047),
    ("words", 0.1216, 0.2349, 0.4188),
    ("standing", 0.0445, 0.9579, 1.2049),
    ("agreement", 0.0348, 0.0904, 0.0872),
    ("terms", 0.6104, 0.3480, 0.2281),
    ("kinship", 0.1403, 0.1669, 0.9356),
)
PAPER = LinearModel.of(_PAPER, -6.6479)

# fact: feature, mean, scale, weight
_FACT = (
    ("similarity", 0.4785, 0.1958, 0.4859),
    ("best_sentence", 0.5832, 0.1824, 0.0438),
    ("unknown", 0.3580, 0.2450, 0.0706),
    ("unknown_names", 0.1443, 0.4342, -0.5344),
    ("wants", 0.4837, 0.4997, -0.4884),
    ("holds", 0.5884, 0.2796, 0.6154),
    ("words", 2.8105, 0.6841, 0.5619),
    ("asked_here", 0.6888, 0.4132, 0.2041),
    ("met_here", 0.2572, 0.1904, 0.5227),
)
FACT = LinearModel.of(_FACT, 1.1928)

# list: feature, mean, scale, weight
_LIST = (
    ("belonging", 3.4391, 2.0318, 0.6775),
    ("two_best", 2.6141, 2.0428, 0.9678),
    ("best_sentence", 0.5314, 0.1278, 1.2850),
    ("coverage", 0.6166, 0.3067, 0.3590),
    ("rarest_unknown", 2.6091, 2.0519, -0.5268),
)
LIST = LinearModel.of(_LIST, 2.2009)
