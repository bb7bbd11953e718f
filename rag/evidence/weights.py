"""The fitted weights of `rag.evidence.scoring`; written by `bench/fit_evidence.py`, not by hand."""

from __future__ import annotations

from rag.evidence.scoring import LinearModel

# sentence: feature, mean, scale, weight
_SENTENCE = (
    ("similarity", 0.4067, 0.1830, 0.1144),
    ("holds", 0.0902, 0.2595, 0.3080),
    ("unmet", 0.2690, 0.4434, -0.5320),
    ("position", 0.5000, 0.3307, 0.5017),
    ("first", 0.1333, 0.3399, -0.5312),
    ("length", 0.5645, 0.2365, 0.3156),
    ("telling", 0.2554, 0.2632, 0.6855),
    ("telling_gap", -0.4561, 0.3003, 0.4052),
    ("new", 0.8011, 0.3003, -0.1467),
    ("coverage", 0.2271, 0.2004, -0.1616),
)
SENTENCE = LinearModel.of(_SENTENCE, -2.1983)

# paper: feature, mean, scale, weight
_PAPER = (
    ("similarity", 0.0948, 0.1212, -0.1825),
    ("best_sentence", 0.1938, 0.1196, 1.0510),
    ("coverage", 0.1141, 0.2101, 0.2803),
    ("best_coverage", 0.1062, 0.1977, 0.1132),
    ("words", 0.1061, 0.2117, 0.7020),
    ("standing", 0.0272, 0.9488, 1.3031),
    ("agreement", 0.0352, 0.0909, -0.0237),
    ("terms", 0.6024, 0.3460, 0.0924),
)
PAPER = LinearModel.of(_PAPER, -6.4100)

# answer_fact: feature, mean, scale, weight
_ANSWER_FACT = (
    ("similarity", 0.4785, 0.1959, 0.4069),
    ("best_sentence", 0.5829, 0.1827, 0.1463),
    ("coverage", 0.6152, 0.2303, -0.3876),
    ("focus", 0.4346, 0.2130, -0.7288),
    ("unknown", 0.3338, 0.2238, -0.4344),
    ("unknown_names", 0.1463, 0.4359, -0.5632),
    ("rarest_unknown", 3.8088, 1.4723, -0.0878),
    ("wants", 0.4837, 0.4997, -0.4521),
    ("unmet", 0.0732, 0.2604, -0.0056),
    ("holds", 0.5874, 0.2741, 0.2474),
    ("words", 2.8105, 0.6841, 0.6832),
    ("sentence", 0.2743, 0.9734, 0.0383),
    ("asked", 0.7565, 0.3717, -0.0660),
    ("asked_here", 0.6678, 0.4201, 0.2427),
    ("met_here", 0.2647, 0.1861, 0.9853),
)
ANSWER_FACT = LinearModel.of(_ANSWER_FACT, 1.2074)

# answer_list: feature, mean, scale, weight
_ANSWER_LIST = (
    ("similarity", 0.3891, 0.1619, 0.2516),
    ("best_sentence", 0.4812, 0.1633, 1.1608),
    ("coverage", 0.5718, 0.3198, 0.1297),
    ("focus", 0.4822, 0.3196, -0.0845),
    ("unknown", 0.3791, 0.3055, 0.1427),
    ("unknown_names", 0.0884, 0.2839, -0.2600),
    ("rarest_unknown", 2.8270, 1.9996, -1.0135),
    ("wants", 0.0608, 0.2389, 0.1084),
    ("unmet", 0.0110, 0.1045, -0.2877),
    ("holds", 0.5845, 0.0903, 0.4192),
    ("words", 2.0773, 0.5998, 0.9205),
    ("sentence", 0.1680, 0.9727, -0.2133),
    ("asked", 0.7685, 0.3805, -0.1762),
    ("asked_here", 0.6910, 0.4344, -0.0491),
    ("met_here", 0.3114, 0.1940, 0.1761),
)
ANSWER_LIST = LinearModel.of(_ANSWER_LIST, 1.8834)
