"""The openai SDK as a client: what people have, with another `base_url`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from serve.rivers_index import rivers  # noqa: F401
from serve.running import running, serving_of
from serve.stub_upstream import StubUpstream
from towns_by_hand import QUESTION, scripted

MESSAGES = [{"role": "user", "content": QUESTION}]
SAID = "The Vltava flows through Prague. So the answer is Vltava."


def _sdk(url: str) -> openai.OpenAI:
    http = openai.DefaultHttpx2Client(trust_env=False)
    return openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0, http_client=http)


@pytest.fixture
def sdk(rivers: Path) -> Iterator[openai.OpenAI]:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, _sdk(url) as made:
        yield made


def test_models_are_listed_alone_and_behind_each_policy(sdk: openai.OpenAI) -> None:
    names = {model.id for model in sdk.models.list()}

    # Not those that need log-probabilities, a look inside the model, or a calibrator.
    can = ("none", "single", "fixed", "fixed-length", "quco", "quco-known", "quco-paper")
    assert names == {"tiny", *(f"{policy}/tiny" for policy in can)}


def test_details_are_an_extra_field_of_the_completion(sdk: openai.OpenAI) -> None:
    made = sdk.chat.completions.create(model="quco/tiny", messages=MESSAGES)  # type: ignore[arg-type]

    assert made.choices[0].message.content == SAID
    assert made.choices[0].message.refusal is None
    assert made.usage is not None
    assert made.usage.total_tokens > 0
    assert made.averment["verdict"] == "answered"  # type: ignore[attr-defined]


def test_a_stream_is_read_to_the_same_text_with_usage_and_details(sdk: openai.OpenAI) -> None:
    pieces = list(
        sdk.chat.completions.create(
            model="quco/tiny",
            messages=MESSAGES,  # type: ignore[arg-type]
            stream=True,
            stream_options={"include_usage": True},
        )
    )

    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert text == SAID
    assert [piece.usage is not None for piece in pieces[-2:]] == [False, True]
    assert pieces[-2].averment["final_answer"] == "Vltava"  # type: ignore[attr-defined]


def test_the_accumulator_of_the_sdk_puts_a_stream_together(sdk: openai.OpenAI) -> None:
    with sdk.chat.completions.stream(model="quco/tiny", messages=MESSAGES) as stream:  # type: ignore[arg-type]
        made = stream.get_final_completion()

    message = made.choices[0].message
    assert (message.role, message.content) == ("assistant", SAID)
    assert made.choices[0].finish_reason == "stop"


def test_options_ride_in_the_extra_body_or_a_header(sdk: openai.OpenAI) -> None:
    in_body = sdk.chat.completions.create(
        model="quco/tiny",
        messages=MESSAGES,  # type: ignore[arg-type]
        extra_body={"averment": {"mode": "annotate"}},
    )
    in_header = sdk.chat.completions.create(
        model="quco/tiny",
        messages=MESSAGES,  # type: ignore[arg-type]
        extra_headers={"X-Averment-Mode": "hold-answer"},
    )

    assert in_body.averment["mode"] == "annotate"  # type: ignore[attr-defined]
    assert in_header.averment["mode"] == "hold-answer"  # type: ignore[attr-defined]


def test_fields_without_effect_on_a_policy_are_named(sdk: openai.OpenAI) -> None:
    raw = sdk.chat.completions.with_raw_response.create(
        model="quco/tiny",
        messages=MESSAGES,  # type: ignore[arg-type]
        temperature=0.7,
        seed=3,
        user="somebody",
    )

    assert raw.parse().averment["ignored"] == ["seed", "temperature", "user"]  # type: ignore[attr-defined]
    assert "ignored_temperature" in raw.headers["x-averment-warnings"]


def test_errors_are_those_of_the_sdk_with_our_kind_and_hint(sdk: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as raised:
        sdk.chat.completions.create(model="quco/huge", messages=MESSAGES)  # type: ignore[arg-type]

    body = raised.value.body
    assert isinstance(body, dict)
    assert (body["kind"], body["hint"]) == ("UnknownNameError", "Known: tiny.")
    assert raised.value.code == "unknown_name_error"


def test_an_error_within_a_stream_is_raised_by_the_sdk(rivers: Path) -> None:
    text = "The Vltava flows through Prague. The Danube flows through Vienna."
    with (
        StubUpstream((text,), pieces_before_cut=8) as stub,
        serving_of(rivers, base_url=stub.url) as serving,
        running(serving) as url,
        _sdk(url) as sdk,
        sdk.chat.completions.create(
            model="quco/up",
            messages=MESSAGES,  # type: ignore[arg-type]
            stop=["###"],
            stream=True,
        ) as stream,
        pytest.raises(openai.APIError, match="breaks off"),
    ):
        list(stream)
