"""The human-labelled sets that may be trained on, as pairs.

Only ``*_train`` and ``*_dev`` files are opened here. FEVER's paper-dev claims come without their
evidence; they meet the passage of their evidence page where the corpus has it, and every claim
whose id or text is in FeverSymmetric's test part is dropped.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, UNSUPPORTED, Pair, read_records
from sources import plain

_WINDOW_WORDS = 80  # short, since training time goes by the token
_SIDES = {"SUPPORTS": ENTAILMENT, "REFUTES": CONTRADICTION}


def labelled_pairs(data: Path, rng: random.Random) -> Iterator[Pair]:
    """All of them; `Pair.kind` names the set."""
    folder = data / "faithfulness"
    yield from begin(folder)
    yield from fool_me_twice(folder, rng)
    yield from fever_symmetric(folder)
    yield from wice(folder, rng)
    yield from fever_pages(data)


def begin(folder: Path) -> Iterator[Pair]:
    """BEGIN dev; Generic responses are left out. Long knowledge is cut to the best sentences."""
    labels = {"Fully attributable": ENTAILMENT, "Not fully attributable": UNSUPPORTED}
    for part in ("wow", "cmu", "tc"):
        for record in read_records(folder / f"begin_dev_{part}.jsonl.gz"):
            if record["begin_label"] in labels:
                premise = focus(plain(record["knowledge"]), plain(record["response"]))
                yield Pair(
                    premise,
                    plain(record["response"]),
                    labels[record["begin_label"]],
                    f"begin_{part}",
                    f"begin:{record['knowledge'][:80]}",
                )


def focus(text: str, claim: str, words: int = _WINDOW_WORDS) -> str:
    """The window of a text that shares most words with a claim."""
    tokens = text.split()
    wanted = {word.casefold().strip(".,") for word in claim.split() if len(word) > 3}
    starts = range(0, max(1, len(tokens) - words + 20), 20)
    best = max(
        starts,
        key=lambda at: len(wanted & {w.casefold().strip(".,") for w in tokens[at : at + words]}),
    )
    return " ".join(tokens[best : best + words])


def fool_me_twice(folder: Path, rng: random.Random) -> Iterator[Pair]:
    """FoolMeTwice dev: gold evidence, and gold evidence among retrieved sentences."""
    for record in read_records(folder / "fm2_dev.jsonl.gz"):
        gold = [e["text"] for e in record["gold_evidence"]]
        others = [e["text"] for e in record["retrieved_evidence"] if e["text"] not in gold]
        group, claim = f"page:{record['wikipedia_page']}", record["text"]
        label = _SIDES[record["label"]]
        yield Pair(" ".join(gold), claim, label, "fm2", group)
        mixed = gold + others[:2]
        rng.shuffle(mixed)
        yield Pair(" ".join(mixed), claim, label, "fm2_mixed", group)


def fever_symmetric(folder: Path) -> Iterator[Pair]:
    """FeverSymmetric dev."""
    for record in read_records(folder / "fever_symmetric_dev.jsonl.gz"):
        yield Pair(
            plain(record["evidence"]),
            plain(record["claim"]),
            _SIDES[record["label"]],
            "fever_symmetric",
            f"fever:{_cluster(record['id'])}",
        )


def wice(folder: Path, rng: random.Random) -> Iterator[Pair]:
    """WiCE claims over their supporting sentences with neighbours, and over distant windows.

    The token-level train part gives sub-claims that are supported in part only.
    """
    labels = {
        "supported": ENTAILMENT,
        "partially_supported": UNSUPPORTED,
        "not_supported": UNSUPPORTED,
    }
    for record in read_records(folder / "wice_claim_dev.jsonl.gz"):
        group = f"wice:{record['meta'].get('claim_title', record['claim'][:40])}"
        for chosen in record["supporting_sentences"][:3]:
            window = _around(record["evidence"], chosen, _WINDOW_WORDS)
            yield Pair(window, record["claim"], labels[record["label"]], "wice_claim", group)
        if not record["supporting_sentences"]:
            window = focus(" ".join(record["evidence"]), record["claim"])
            yield Pair(window, record["claim"], UNSUPPORTED, "wice_claim", group)
        used = {i for chosen in record["supporting_sentences"] for i in chosen}
        rest = " ".join(s for i, s in enumerate(record["evidence"]) if i not in used)
        if used and len(rest.split()) > 60:
            window = focus(rest, record["claim"])
            yield Pair(window, record["claim"], UNSUPPORTED, "wice_without", group)
    for record in read_records(folder / "wice_non_supported_tokens_train.jsonl.gz"):
        group = f"wice:{record['meta'].get('claim_title', record['claim'][:40])}"
        for chosen in record["supporting_sentences"][:1]:
            window = _around(record["evidence"], chosen, _WINDOW_WORDS)
            marked = plain_spans(
                record["claim_tokens"], record["non_supported_spans"], record["claim"]
            )
            yield Pair(window, record["claim"], UNSUPPORTED, "wice_tokens", group, marked)
            kept = [
                w
                for w, bad in zip(
                    record["claim_tokens"], record["non_supported_spans"], strict=True
                )
                if not bad
            ]
            if len(kept) >= 5:
                yield Pair(window, plain(" ".join(kept)), ENTAILMENT, "wice_tokens", group)


def plain_spans(
    tokens: list[str], marks: list[bool], claim: str
) -> tuple[tuple[int, int], ...] | None:
    """The marked tokens as spans of the claim; None where a token is not found in it."""
    at, spans = 0, []
    for token, marked in zip(tokens, marks, strict=True):
        start = claim.find(token, at)
        if start < 0:
            return None
        at = start + len(token)
        if marked:
            spans.append((start, at))
    return tuple(spans)


def _around(evidence: list[str], chosen: list[int], words: int) -> str:
    taken = set(chosen)
    for distance in (1, 2, 3):
        for index in chosen:
            for near in (index - distance, index + distance):
                if 0 <= near < len(evidence):
                    longer = taken | {near}
                    if sum(len(evidence[i].split()) for i in longer) <= words:
                        taken = longer
    return " ".join(evidence[i] for i in sorted(taken))


def fever_pages(data: Path) -> Iterator[Pair]:
    """FEVER paper-dev claims over the opening of their evidence page.

    The page may lack the decisive sentence, so that these labels are noisier than the others.
    """
    folder = data / "faithfulness"
    barred: set[str] = set()
    for record in read_records(folder / "fever_symmetric_test.jsonl.gz"):
        barred |= {_cluster(record["id"]), _key(record["claim"])}
    pages = defaultdict(list)
    for record in read_records(data / "corpus/wiki_passages.jsonl.gz"):
        if record["source"] in ("2wiki", "hotpotqa", "musique"):
            pages[record["title"]].append(record["text"])
    for record in read_records(folder / "fever_paper_dev_claims.jsonl.gz"):
        if str(record["id"]) in barred or _key(record["claim"]) in barred:
            continue
        yield from _on_pages(record["claim"], record["label"], record["evidence"], pages)


def _on_pages(
    claim: str, label: str, evidence: list[list[list[object]]], pages: dict[str, list[str]]
) -> Iterator[Pair]:
    named = {plain(str(e[2]).replace("_", " ")) for g in evidence for e in g if e[2]}
    if label in _SIDES and all(len(g) == 1 for g in evidence[:1]):
        for title in sorted(named & pages.keys())[:1]:
            window = focus(plain(pages[title][0]), claim)
            yield Pair(f"{title}. {window}", claim, _SIDES[label], "fever_pages", f"page:{title}")
    elif label == "NOT ENOUGH INFO":
        for title in [t for t in _openings(claim) if t in pages][:1]:
            window = focus(plain(pages[title][0]), claim)
            yield Pair(f"{title}. {window}", claim, NEUTRAL, "fever_pages", f"page:{title}")


def _openings(claim: str) -> list[str]:
    words = claim.rstrip(".").split()
    spans = [" ".join(words[i:j]) for i in range(len(words)) for j in range(len(words), i + 1, -1)]
    return [span for span in spans if span[0].isupper() and len(span) > 6]


def _cluster(number: object) -> str:
    """The FEVER claim that a FeverSymmetric row was made from."""
    return re.sub(r"000000\d$", "", str(number))


def _key(claim: str) -> str:
    return "".join(c for c in claim.casefold() if c.isalnum())
