"""AT-13: a fresh environment, the core alone, every socket denied, nothing written elsewhere.

Installs this checkout from its sources into a new virtual environment (package registry only),
then runs a user's first session in it under an audit hook that refuses sockets and records every
file that is opened for writing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from conftest import REPOSITORY

# One installation serves them all, in whichever process runs the first of them.
pytestmark = pytest.mark.xdist_group("clean-install")

SESSION = """
import json, os, pathlib, sys

written = []

def guard(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo"):
        raise RuntimeError(f"{event} {arguments}")
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        written.append(os.path.abspath(os.fsdecode(arguments[0])))
    if event in ("os.mkdir", "os.rename"):
        written.append(os.path.abspath(os.fsdecode(arguments[0])))

sys.addaudithook(guard)

import averment
from averment.cli.app import run
from averment.models.scripted import ScriptedModel

notes = pathlib.Path("notes"); notes.mkdir()
(notes / "ferry.txt").write_text("The ferry Sørlandia sails from Hirtshals to Kristiansand.")
(notes / "museum.md").write_text("# Museum\\n\\nThe museum of Kristiansand opened in 1828.")

codes = {
    "build": run(["index", "build", "notes"]),
    "count": run(["index", "count", "Kristiansand"]),
    "cooccur": run(["index", "cooccur", "Hirtshals", "Kristiansand", "--json"]),
    "verify": run(["index", "verify"]),
    "doctor": run(["doctor"]),
    "check, recorded": run(["check", "notes/museum.md", "--audit", "on"]),
    "audit verify": run(["audit", "verify"]),
    "audit replay": run(["audit", "replay", "1"]),
    "audit show": run(["audit", "show", "1", "--html", "record.html"]),
    "ask without a local runtime": run(["ask", "Where does the ferry Sørlandia sail to?"]),
}
said = [" The ferry Sørlandia sails to Kristiansand.", " So the answer is Kristiansand."]
left = iter(said)  # the canary asks first
model = ScriptedModel(lambda p: " cats, dogs" if "no order" in p.text else next(left))
answer = averment.open_engine(index=".averment/index", model=model).ask(
    "Where does the ferry Sørlandia sail to?"
)
from averment.page.render import Entry, render_page
pathlib.Path("page.html").write_text(
    render_page([Entry(answer.answer, answer.trace)], title="t", subtitle="s")
)
heavy = [name for name in ("torch", "transformers", "xllamacpp") if name in sys.modules]
print("RESULT " + json.dumps({
    "codes": codes, "verdict": answer.verdict, "text": answer.text, "heavy": heavy,
    "written": sorted(set(written)),
}))
"""


@pytest.fixture(scope="module")
def clean_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment with averment's core and nothing else."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # A build folder of its own: the checkout's belongs to the environment that runs the tests.
    build = f"--config-settings=build-dir={folder.parent / 'build'}"
    command = [*pip, build, str(REPOSITORY)]
    installed = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return python


@pytest.fixture(scope="module")
def session(clean_python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the first session did, and where it was."""
    work = tmp_path_factory.mktemp("work")
    home = tmp_path_factory.mktemp("home")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "AVERMENT_HOME": str(work / "averment-home"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    ran = subprocess.run(
        [str(clean_python), "-c", SESSION],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("RESULT ")]
    return {
        **json.loads(line.removeprefix("RESULT ")),
        "work": work,
        "home": home,
        "stderr": ran.stderr,
    }


def test_index_ask_verify_and_page_work_with_sockets_denied(session: dict[str, object]) -> None:
    codes = dict(session["codes"])  # type: ignore[call-overload]

    assert codes.pop("ask without a local runtime") == 2
    assert set(codes.values()) == {0}
    assert session["verdict"] == "answered"
    assert session["text"] == (
        "The ferry Sørlandia sails to Kristiansand. So the answer is Kristiansand."
    )


def test_ask_without_the_local_runtime_says_the_line_to_type(session: dict[str, object]) -> None:
    assert "pip install 'averment[local]'" in str(session["stderr"])
    assert "Traceback" not in str(session["stderr"])


def test_nothing_heavy_is_installed_or_loaded(
    session: dict[str, object], clean_python: Path
) -> None:
    listed = subprocess.run(
        [str(clean_python), "-m", "pip", "list", "--format=json"], capture_output=True, text=True
    )
    names = {row["name"].lower() for row in json.loads(listed.stdout)}

    assert session["heavy"] == []
    assert names.isdisjoint({"torch", "transformers", "langchain", "llama-index", "xllamacpp"})


def test_nothing_is_written_outside_the_working_folder_and_the_home(
    session: dict[str, object],
) -> None:
    work = str(session["work"])
    outside = [
        path
        for path in session["written"]  # type: ignore[attr-defined]
        if not path.startswith(work) and path != os.devnull
    ]

    assert outside == []
    assert list(Path(str(session["home"])).iterdir()) == []


def test_the_core_stays_within_130_megabytes_over_a_bare_environment(clean_python: Path) -> None:
    """Without bytecode, which Python writes by itself and which is about a quarter more."""
    (packages,) = (clean_python.parent.parent / "lib").glob("python*/site-packages")
    own = sum(
        file.stat().st_size
        for file in packages.rglob("*")
        if file.is_file()
        and file.suffix != ".pyc"
        and file.relative_to(packages).parts[0].split("-")[0] not in _BARE
    )

    assert own <= 130 * 10**6, f"{own / 1e6:.0f} MB on Python {sys.version_info[:2]}"


_BARE = {"pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils"}
