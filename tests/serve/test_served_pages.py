"""The pages of the server, as a browser without scripts has them, and the stream of the script."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

import averment
from averment.models.scripted import ScriptedModel
from averment.types import Prompt
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, events, running, serving_of
from towns_by_hand import GOOD, QUESTION, scripted

HTML = {"Accept": "text/html"}
NASTY = '<script>alert("x")</script>'


def asked(c: httpx2.Client, question: str = QUESTION, **fields: str) -> httpx2.Response:
    """What a plain form leads to."""
    form = {"question": question, "policy": "quco", **fields}
    return c.post("/answers", data=form, headers=HTML, follow_redirects=True)


def article_of(page: str) -> str:
    (found,) = re.findall(r"<article.*?</article>", page, re.DOTALL)
    return str(found)


def streamed(c: httpx2.Client, question: str = QUESTION, policy: str = "quco") -> list[Any]:
    """The pieces that the script reads."""
    response = c.post(
        "/answers",
        data={"question": question, "policy": policy},
        headers={"Accept": "text/event-stream"},
    )
    assert response.headers["content-type"].startswith("text/event-stream")
    return events(response.text)


def test_a_plain_form_leads_to_the_page_of_the_answer(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        page = asked(c, policy="single")

    assert (page.status_code, page.history[0].status_code) == (200, 303)
    assert re.search(r"/answers/[0-9a-f]{16}$", str(page.url))
    assert QUESTION in page.text
    assert 'class="claim supported' in page.text


def test_the_script_is_told_of_each_step_and_then_where_the_answer_is(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        first, *steps, last, end = streamed(c)
        page = c.get(f"/answers/{last['answer']}", headers=HTML)

    assert (first["kind"], last["kind"], end) == ("start", "answer", "[DONE]")
    assert [step["told"] for step in steps if step["kind"] == "commit"] == [
        "kept “The Vltava flows through Prague.”",
        "kept “So the answer is Vltava.”",
    ]
    assert page.status_code == 200


def test_a_draft_that_was_written_again_is_said_to_be_rejected(rivers: Path) -> None:
    drafts = iter([" The Danube flows through Prague."])

    def go_on(prompt: Prompt) -> str:
        return next(drafts, GOOD.removeprefix(prompt.answer))

    model = ScriptedModel(go_on, name="tiny", capabilities=frozenset())
    with serving_of(rivers, model) as serving, running(serving) as url, client(url) as c:
        _, *steps, _, _ = streamed(c, policy="quco-known")

    rejected = [steps[number]["told"] for step in steps for number in step["rejects"]]
    assert rejected == ["wrote “The Danube flows through Prague.”"]


def test_the_file_of_an_answer_has_what_its_page_has(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        page = asked(c)
        file = c.get(f"{page.url}.html")

    trace_id = str(page.url).rpartition("/")[2]
    assert article_of(file.text) == article_of(page.text)
    assert file.headers["content-disposition"] == (
        f'attachment; filename="averment-{trace_id}.html"'
    )
    assert re.findall(r"(?:src|href)=|<script", file.text) == []


def test_answers_over_the_api_have_a_page_too(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        whole = c.post("/v1/chat/completions", json=ask())
        pieces = events(c.post("/v1/chat/completions", json=ask(stream=True)).text)
        ids = [whole.headers["x-averment-trace-id"], pieces[-2]["averment"]["trace_id"]]
        pages = [c.get(f"/answers/{trace_id}", headers=HTML).status_code for trace_id in ids]
        start = c.get("/", headers=HTML).text

    assert pages == [200, 200]
    assert [start.index(trace_id) for trace_id in reversed(ids)] == sorted(
        start.index(trace_id) for trace_id in ids
    )


def test_the_last_answers_are_listed_and_what_is_gone_says_so(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), serve_keep_answers=1) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        old = asked(c, "Which river flows through Prague today?")
        asked(c)
        start = c.get("/", headers=HTML)
        gone = c.get(str(old.url), headers=HTML)
        for_programs = c.get(str(old.url))

    assert start.text.count("flows through Prague") == 1
    assert (gone.status_code, for_programs.status_code) == (404, 404)
    assert "The last 1 answers are kept in memory" in gone.text
    assert for_programs.json()["error"]["kind"] == "NotFound"


def test_half_a_character_of_a_model_is_said_over_the_api_and_shown_on_pages(rivers: Path) -> None:
    said = "The Vltava \ud83d flows through Prague."
    model = scripted(f" {said} So the answer is Vltava.")
    with serving_of(rivers, model) as serving, running(serving) as url, client(url) as c:
        made = c.post("/v1/chat/completions", json=ask(model="none/tiny"))
        streamed_too = c.post("/v1/chat/completions", json=ask(model="none/tiny", stream=True))
        page = f"/answers/{made.json()['averment']['trace_id']}"
        shown = [c.get(path, headers=HTML) for path in (page, f"{page}.html", "/")]

    assert said in made.json()["choices"][0]["message"]["content"]
    assert events(streamed_too.text)[-1] == "[DONE]"
    assert [each.status_code for each in shown] == [200] * 3
    assert all("The Vltava ? flows" in each.text for each in shown[:2])


def test_whatever_question_model_and_documents_say_is_escaped(tmp_path: Path) -> None:
    text = f"The Vltava flows through Prague. {NASTY} &amp; Prague."
    averment.build_index([averment.Document(f"d{NASTY}", text, NASTY)], tmp_path / "nasty")
    said = f" The Vltava flows through Prague {NASTY}. So the answer is {NASTY}Vltava."
    question = f"Which river flows through Prague {NASTY}?"

    with (
        serving_of(tmp_path / "nasty", scripted(said)) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        page = asked(c, question)
        pages = [
            page.text,
            c.get(f"{page.url}.html").text,
            c.get("/", headers=HTML).text,
            c.get("/corpus", params={"a": f"Prague{NASTY}", "b": "Vltava"}, headers=HTML).text,
            c.get("/corpus", params={"a": "Prague"}, headers=HTML).text,
            c.get(f"/answers/{NASTY}", headers=HTML).text,
            asked(c, policy=NASTY).text,
        ]

    assert [page for page in pages if "<script>" in page] == []
    assert all("&lt;script&gt;" in page for page in pages[:5])
    assert "&amp;amp; <mark>Prague</mark>" in pages[4]


def test_every_page_forbids_foreign_scripts_frames_and_keeping(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        answer = asked(c)
        pages = [
            answer,
            c.get(f"{answer.url}.html"),
            *(c.get(path, headers=HTML) for path in ("/", "/corpus", "/answers/none")),
        ]

    style = re.findall(r"<style>(.*?)</style>", answer.text, re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    for page in pages:
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert f"style-src 'sha256-{digest}';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["cache-control"] == "no-store"
        assert re.findall(r" on[a-z]+=| style=|<script(?! src=\"/assets/)", page.text) == []


def test_a_page_and_all_it_loads_take_less_than_60_kb(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        pages = [c.get("/", headers=HTML), asked(c)]
        sizes = []
        for page in pages:
            loaded = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text))
            assert len(loaded) == 2
            sizes.append(len(page.content) + sum(len(c.get(each).content) for each in loaded))

    assert max(sizes) < 60_000


def test_pages_are_packed_for_whoever_can_unpack_them(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        packed = c.get("/corpus?a=Prague", headers={"Accept-Encoding": "gzip"})
        plain = c.get("/corpus?a=Prague", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"a": "Prague"}, ['<td class="n">4</td>', '<td class="n">2</td>']),
        ({"b": "Prague"}, ['<td class="n">4</td>']),
        ({"a": "Prague", "b": "Brno"}, ["within 5 words", "anywhere in one document", "apart"]),
        ({"a": "Prague", "b": "Danube"}, ["They never stand in one document."]),
        ({"a": "Atlantis"}, ['<td class="n">0</td>', "There is no place to show."]),
    ],
    ids=["one", "the second only", "two", "never together", "nowhere"],
)
def test_the_corpus_is_counted_and_shown(
    query: dict[str, str], told: list[str], rivers: Path
) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        page = c.get("/corpus", params=query, headers=HTML)

    assert page.status_code == 200
    assert [each for each in told if each not in page.text] == []


def test_places_show_the_phrases_marked(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        pair = c.get("/corpus", params={"a": "vltava", "b": "Prague"}, headers=HTML).text
        by_forms = c.get("/corpus", params={"a": "Prague", "forms": "on"}, headers=HTML).text

    assert "<mark>Vltava</mark> flows through <mark>Prague</mark>" in pair
    assert "<mark>Prague</mark> is the capital" in by_forms


@pytest.mark.parametrize(
    ("query", "status"), [({"a": "…"}, 400), ({"a": "a" * 1001}, 400)], ids=["no word", "too long"]
)
def test_a_phrase_that_cannot_be_counted_is_said_on_a_page(
    query: dict[str, str], status: int, rivers: Path
) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        page = c.get("/corpus", params=query, headers=HTML)

    assert page.status_code == status
    assert page.headers["content-type"].startswith("text/html")
    assert 'class="card failed"' in page.text


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"question": ""}, 400, "The question is empty"),
        ({"question": "a " * 5000}, 400, "at most 8,000"),
        ({"policy": "nobody"}, 404, "nobody"),
        ({"model": "gpt"}, 404, "gpt"),
        ({"policy": "seakr"}, 400, "does not provide it"),
    ],
    ids=["empty", "too long", "no such policy", "no such model", "policy beyond the model"],
)
def test_a_question_that_cannot_be_asked_is_said_on_a_page_and_to_the_script(
    fields: dict[str, str], status: int, told: str, rivers: Path
) -> None:
    form = {"question": QUESTION, "policy": "quco", **fields}
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        page = c.post("/answers", data=form, headers=HTML)
        said = c.post("/answers", data=form, headers={"Accept": "text/event-stream"}).text

    assert page.status_code == status
    assert told in page.text
    assert told in said


def test_a_form_that_is_no_text_is_refused(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        broken = c.post("/answers", content=b"question=%ff%fe", headers=HTML)

    assert broken.status_code == 400
    assert "cannot be read" in broken.text


def test_only_policies_that_the_model_can_follow_are_offered(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        start = c.get("/", headers=HTML).text

    offered = re.findall(r"<option(?: selected)?>([^<]+)", start)
    assert {"quco", "single", "none"} <= set(offered)
    assert set(offered) & {"seakr", "dragin", "etc"} == set()


def test_an_upstream_that_cannot_be_reached_leaves_the_page_usable(rivers: Path) -> None:
    with (
        serving_of(rivers, base_url="http://127.0.0.1:9/v1") as serving,
        running(serving) as url,
        client(url) as c,
    ):
        start = c.get("/", headers=HTML)

    assert start.status_code == 200
    assert '<input name="model" required>' in start.text
    assert "The models of the server are not known" in start.text


def test_who_comes_when_too_many_wait_is_told_so_on_a_page(rivers: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(prompt: Prompt) -> str:
        begun.set()
        go_on.wait(20)
        return " So the answer is Vltava."

    model = ScriptedModel(slow, name="tiny", capabilities=frozenset())
    with (
        serving_of(rivers, model, serve_workers=1, serve_queue=0) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        waiting = threading.Thread(target=asked, args=(c,))
        waiting.start()
        assert begun.wait(20)
        with client(url) as other:
            page = asked(other)
            script = other.post(
                "/answers", data={"question": "x"}, headers={"Accept": "text/event-stream"}
            )
        go_on.set()
        waiting.join(20)

    assert (page.status_code, page.headers["retry-after"]) == (429, "1")
    assert "The server is busy" in page.text
    assert (script.status_code, script.json()["error"]["kind"]) == (429, "Busy")


def test_no_page_is_a_route_for_programs(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        paths = c.get("/openapi.json").json()["paths"]
        asset = c.get("/assets/../protection.py")
        none = c.get("/assets/nothing.css")

    assert not {"/", "/answers", "/corpus", "/sign-in"} & set(paths)
    assert (asset.status_code, none.status_code) == (404, 404)
