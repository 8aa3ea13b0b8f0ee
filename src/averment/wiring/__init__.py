"""The composition root: the adapters put together as the settings say.

The only room that knows every adapter. Adapters with optional or heavy dependencies are imported
where they are opened. Here are the names that the command line and `averment` itself use.
"""

from averment.wiring.aliases import (
    has_countries,
    open_aliases,
    read_alias_table,
    user_aliases,
    widened,
)
from averment.wiring.benches import cached_index, deciding_settings, open_cached_model, remembered
from averment.wiring.checks import check
from averment.wiring.corpus import (
    build_index,
    delete_documents,
    merge_index,
    open_index,
    open_own_index,
    verify_index,
)
from averment.wiring.engines import open_engine
from averment.wiring.foreign import export_counts, export_index
from averment.wiring.models import LOCAL_MODELS, open_extractor, open_model
from averment.wiring.policies import make_policy, policy_names
from averment.wiring.retrievers import embed_index, open_embedder, open_retriever, vector_state
from averment.wiring.scores import make_scoring, open_faithfulness, read_calibrator

__all__ = [
    "LOCAL_MODELS",
    "build_index",
    "cached_index",
    "check",
    "deciding_settings",
    "delete_documents",
    "embed_index",
    "export_counts",
    "export_index",
    "has_countries",
    "make_policy",
    "make_scoring",
    "merge_index",
    "open_aliases",
    "open_cached_model",
    "open_embedder",
    "open_engine",
    "open_extractor",
    "open_faithfulness",
    "open_index",
    "open_model",
    "open_own_index",
    "open_retriever",
    "policy_names",
    "read_alias_table",
    "read_calibrator",
    "remembered",
    "user_aliases",
    "vector_state",
    "verify_index",
    "widened",
]
