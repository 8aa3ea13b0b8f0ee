"""The cross-encoder: a BERT encoder, three classes, and a voice for each word of the hypothesis.

Each hypothesis token says how unsupported it looks; the log of the sum of these odds is taken from
the logit of entailment, so that one word can take a claim down. Labels of single words (known for
edits, and from WiCE) teach that head directly, which needs far fewer pairs than the class alone.
"""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import BertForSequenceClassification

from pairs import CLASSES

_PRIOR = -3.0  # most words of most claims are supported
_SEPARATOR = 102
_NEVER = -30.0


class SupportClassifier(BertForSequenceClassification):
    """Logits of entailment, neutral and contradiction, and of each token being unsupported."""

    def __init__(self, config) -> None:  # type: ignore[no-untyped-def]
        super().__init__(config)
        self.word_support = torch.nn.Linear(config.hidden_size, 1)
        self.post_init()

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Class logits [n, 3] and token logits [n, tokens]."""
        found = self.bert(input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        classes = self.classifier(self.dropout(found.pooler_output)).float()
        tokens = self.word_support(found.last_hidden_state)[..., 0].float() + _PRIOR
        spoken = (token_type_ids == 1) & (input_ids != _SEPARATOR)
        odds = torch.logsumexp(torch.where(spoken, tokens, _NEVER), dim=-1, keepdim=True)
        return torch.cat([classes[:, :1] - odds, classes[:, 1:]], dim=-1), tokens


def load_model(folder: Path, dropout: float = 0.05) -> SupportClassifier:
    """A checkpoint, or a plain encoder with fresh heads.

    There is no dropout in attention: it is slow on a CPU.
    """
    return SupportClassifier.from_pretrained(
        folder,
        num_labels=len(CLASSES),
        attn_implementation="eager",
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=dropout,
        id2label=dict(enumerate(CLASSES)),
        label2id={c: i for i, c in enumerate(CLASSES)},
    )
