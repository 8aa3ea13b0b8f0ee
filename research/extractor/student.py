"""The student: a BERT encoder and one linear layer, whose outputs are read by dot products.

Of each token come (in this order, see `averment.claims.distilled.Layout`): logits of its tag; six
vectors, as head and tail of a link, as head and tail of the question "by which words?", as first
and as last word of a relation; and logits of relations in fixed words, as head and as tail. An
entity is the mean of its tokens. A pair is linked by head · tail; its relation is in fixed words
by the sum of both logits, class 0 being "in words of the sentence", which are then the span whose
first and last word agree best with the question.

What this module does not do: the reading itself, which is numpy (`averment.claims.distilled`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Encoding
from transformers import BertModel

from averment.claims.distilled import Layout
from averment.models.token_numbers import words_of
from examples import Example

FREE = -100  # a label that the loss leaves out


class Student(torch.nn.Module):
    """Token ids in, `layout.width` numbers a token out."""

    def __init__(self, encoder: BertModel, layout: Layout) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = torch.nn.Linear(encoder.config.hidden_size, layout.width)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """[n, tokens, width]."""
        found = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        return self.head(found.last_hidden_state.float())


def load_encoder(folder: Path) -> BertModel:
    """There is no dropout in attention: it is slow on a CPU."""
    return BertModel.from_pretrained(
        folder,
        add_pooling_layer=False,
        attn_implementation="eager",
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.05,
    )


@dataclass(slots=True)
class Encoded:
    """An example in tokens.

    Args:
        ids: Token ids with marks.
        firsts: The first token of each word.
        tags: Of each token; FREE where it is not the first of a word.
        entities: First and last token of each.
        links: For each pair of entities 1, 0 or FREE.
        relations: (head, tail, class, first word, last word) of links whose relation is known;
            the words are FREE where the class is not 0.
    """

    ids: list[int]
    firsts: list[int]
    tags: list[int]
    entities: list[tuple[int, int]]
    links: torch.Tensor
    relations: list[tuple[int, int, int, int, int]]
    source: str


def encode(example: Example, encoding: Encoding, layout: Layout) -> Encoded:
    """What the losses compare with; an entity beyond the window of the tokenizer is left out."""
    words = words_of(encoding)
    tags = [FREE] * len(encoding.ids)
    for word in words:
        tags[word.first] = 0
    entities, at_of = [], {}
    for place, kind in example.entities.items():
        inside = [word for word in words if word.start < place[1] and place[0] < word.end]
        if not inside:
            continue
        for nth, word in enumerate(inside):
            tags[word.first] = layout.tag(kind, begins=nth == 0)
        at_of[place] = len(entities)
        entities.append((inside[0].first, inside[-1].last))
    links = torch.full((len(entities), len(entities)), 0 if example.complete else FREE)
    links.fill_diagonal_(FREE)
    relations = []
    for (head, tail), said in example.links.items():
        if head not in at_of or tail not in at_of:
            continue
        h, t = at_of[head], at_of[tail]
        links[h, t] = 1
        if (tail, head) not in example.links and links[t, h] == FREE:
            links[t, h] = 0
        if isinstance(said, str) and said in layout.relations:
            relations.append((h, t, layout.relations.index(said), FREE, FREE))
        elif isinstance(said, tuple):
            inside = [word for word in words if word.start < said[1] and said[0] < word.end]
            if inside:
                relations.append((h, t, 0, inside[0].first, inside[-1].first))
    firsts = [word.first for word in words]
    return Encoded(encoding.ids, firsts, tags, entities, links, relations, example.source)


def loss_of(
    found: torch.Tensor, batch: Sequence[Encoded], layout: Layout, weights: dict[str, float]
) -> torch.Tensor:
    """Tags, links and relations, each a mean; a source that knows less counts less."""
    longest = found.shape[1]
    cross = torch.nn.functional.cross_entropy
    tags = torch.tensor([row.tags + [FREE] * (longest - len(row.tags)) for row in batch])
    tag_loss = cross(found[..., layout.tags].flatten(0, 1), tags.flatten(), ignore_index=FREE)
    linked, truth, shares, said = [], [], [], []
    for row, numbers in zip(batch, found, strict=True):
        if len(row.entities) < 2:
            continue
        mean = torch.stack([numbers[a : b + 1].mean(dim=0) for a, b in row.entities])
        scores = mean[:, layout.head] @ mean[:, layout.tail].T / layout.scale
        known = row.links != FREE
        linked.append(scores[known])
        truth.append(row.links[known].float())
        shares.append(torch.full_like(truth[-1], weights[row.source]))
        for h, t, kind, first, last in row.relations:
            classes = mean[h, layout.head_classes] + mean[t, layout.tail_classes]
            said.append(cross(classes[None], torch.tensor([kind])))
            if kind == 0:
                asked = mean[h, layout.asks_head] + mean[t, layout.asks_tail]
                for part, at in ((layout.first, first), (layout.last, last)):
                    scores = numbers[row.firsts][:, part] @ asked / layout.scale
                    said.append(cross(scores[None], torch.tensor([row.firsts.index(at)])))
    loss = tag_loss
    if linked:
        each = torch.nn.functional.binary_cross_entropy_with_logits(
            torch.cat(linked), torch.cat(truth), weight=torch.cat(shares), reduction="sum"
        )
        loss = loss + 2.0 * each / torch.cat(shares).sum()
    return loss + 0.3 * torch.stack(said).mean() if said else loss
