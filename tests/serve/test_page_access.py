"""Who may open the pages: keys and sessions, and what another site may not do to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from averment.serve.sessions import COOKIE
from serve.rivers_index import rivers  # noqa: F401
from serve.running import ask, client, running, serving_of
from towns_by_hand import QUESTION, scripted

HTML = {"Accept": "text/html"}
KEYS = {"serve_keys": "k-one,k-two"}
FORM = {"question": QUESTION, "policy": "quco"}
PAGES = ["/", "/corpus?a=Prague", "/answers/0123456789abcdef", "/answers/0123456789abcdef.html"]


@pytest.mark.parametrize("path", PAGES)
def test_with_keys_a_page_leads_to_where_one_is_shown_and_a_program_is_refused(
    path: str, rivers: Path
) -> None:
    with (
        serving_of(rivers, scripted(), **KEYS) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        page, program = c.get(path, headers=HTML), c.get(path)
        posted = c.post("/answers", data=FORM, headers=HTML)
        script = c.post("/answers", data=FORM, headers={"Accept": "text/event-stream"})

    assert (page.status_code, program.status_code) == (303, 401)
    assert page.headers["location"].startswith("/sign-in?next=%2F")
    assert (posted.status_code, posted.headers["location"]) == (303, "/sign-in?next=%2F")
    assert script.status_code == 401


def test_a_key_begins_a_session_that_opens_the_pages_and_nothing_else(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), **KEYS) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        signed = c.post("/sign-in", data={"key": "k-two", "next": "/corpus?a=Prague"})
        cookie = signed.headers["set-cookie"]
        start = c.get("/", headers=HTML)
        answer = c.post("/answers", data=FORM, headers=HTML, follow_redirects=True)
        api = [
            c.post("/v1/chat/completions", json=ask()).status_code,
            c.get("/v1/models").status_code,
            c.get("/metrics").status_code,
        ]
        c.post("/sign-out")
        after = c.get("/", headers=HTML)
        old = c.get("/", headers={**HTML, "Cookie": cookie.partition(";")[0]})

    assert (signed.status_code, signed.headers["location"]) == (303, "/corpus?a=Prague")
    assert cookie.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "k-two" not in cookie
    assert (start.status_code, answer.status_code) == (200, 200)
    assert api == [401, 401, 401]
    assert (after.status_code, old.status_code) == (303, 303)


def test_a_key_in_the_header_opens_the_pages_too(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), **KEYS) as serving,
        running(serving) as url,
        client(url, headers={**HTML, "Authorization": "Bearer k-one"}) as c,
    ):
        status = c.get("/").status_code

    assert status == 200


def test_a_wrong_key_begins_nothing_and_is_not_repeated(rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), **KEYS) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        shown = c.get("/sign-in", headers=HTML)
        refused = c.post("/sign-in", data={"key": "k-three"}, headers=HTML)

    assert shown.status_code == 200
    assert "rivers" not in shown.text  # not even what is served
    assert refused.status_code == 401
    assert "set-cookie" not in refused.headers
    assert "That is none of its keys." in refused.text
    assert "k-three" not in refused.text


@pytest.mark.parametrize(
    "wanted", ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "/\n/x", ""]
)
def test_signing_in_leads_nowhere_else(wanted: str, rivers: Path) -> None:
    with (
        serving_of(rivers, scripted(), **KEYS) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        signed = c.post("/sign-in", data={"key": "k-one", "next": wanted})

    assert signed.headers["location"] == "/"


def test_a_cookie_that_is_none_is_no_session(rivers: Path) -> None:
    cookies = [f"{COOKIE}=", f"{COOKIE}=made-up", f'{COOKIE}="; x', "=;;=", f"{COOKIE}=k-one"]
    with (
        serving_of(rivers, scripted(), **KEYS) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        found = [c.get("/", headers={"Cookie": each}).status_code for each in cookies]

    assert found == [401] * len(cookies)


def test_a_session_goes_on_beside_cookies_of_other_servers(rivers: Path) -> None:
    others = ['theme={"dark":true}', "user=a b", "flag", "k[0]=1", "name=\xe9", '_x="2|1:0|a"']
    with (
        serving_of(rivers, scripted(), **KEYS) as serving,
        running(serving) as url,
        client(url) as c,
    ):
        session = c.post("/sign-in", data={"key": "k-one"}).headers["set-cookie"].partition(";")[0]
        cookies = [f"{each}; {session}; {each}".encode("latin-1") for each in others]
        found = [c.get("/", headers={"Cookie": each}).status_code for each in cookies]

    assert found == [200] * len(others)


def test_without_keys_there_is_nothing_to_sign_in_to(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        shown = c.get("/sign-in", headers=HTML)
        start = c.get("/", headers=HTML).text

    assert (shown.status_code, shown.headers["location"]) == (303, "/")
    assert "Sign out" not in start


FOREIGN: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://HERE"},
]
OWN: list[dict[str, str]] = [
    {},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://HERE"},
]


@pytest.mark.parametrize("path", ["/answers", "/sign-in", "/sign-out"])
@pytest.mark.parametrize(
    ("headers", "is_refused"),
    [*((each, True) for each in FOREIGN), *((each, False) for each in OWN)],
    ids=str,
)
def test_a_form_of_another_site_is_refused(
    path: str, headers: dict[str, Any], is_refused: bool, rivers: Path
) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        here = url.removeprefix("http://")
        sent = {name: value.replace("HERE", here) for name, value in headers.items()}
        found = c.post(path, data=FORM, headers={**HTML, **sent})

    assert (found.status_code == 403) is is_refused
    assert ("sent by another site" in found.text) is is_refused


def test_a_page_whose_name_points_here_is_refused_by_that_name(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url, client(url) as c:
        rebound = [
            c.get(path, headers={**HTML, "Host": "evil.example"}).status_code
            for path in ("/", "/corpus", "/assets/page.js")
        ]

    assert rebound == [403] * 3
