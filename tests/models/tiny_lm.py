"""Causal models of a few thousand random weights, written as checkpoints of transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEXT = "Oslo is the capital of Norway . So the answer is Bergen in which country lies"


def write_tiny_lm(directory: Path, architecture: str) -> Path:
    """A model with 3 layers of 2 heads over words and their pieces; `llama` or `gpt2`."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(5)
    tokenizer = _tokenizer()
    model = AutoModelForCausalLM.from_config(_config(architecture, len(tokenizer)))
    for weights in model.parameters():  # the usual ones are so small that all words look alike
        torch.nn.init.normal_(weights, std=0.3)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def _config(architecture: str, n_tokens: int) -> Any:
    from transformers import GPT2Config, LlamaConfig

    if architecture == "gpt2":
        return GPT2Config(
            vocab_size=n_tokens, n_embd=16, n_layer=3, n_head=2, n_positions=128, eos_token_id=0
        )
    return LlamaConfig(
        vocab_size=n_tokens,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=128,
        eos_token_id=0,
        bos_token_id=0,
    )


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
    from tokenizers.models import BPE
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<end>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT] * 4, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")
