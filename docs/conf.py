"""How the documentation becomes a site: `make site`, or `sphinx-build -W -c docs . site`.

The source directory is the repository, so that pages may link to design notes and to the figures
of the benches, and every such link is checked. What is built needs no server and no network: no
fonts, scripts or counters from elsewhere; search works from the file system.
What this file does not do: list pages. `docs/how-to/index.md` groups some by hand; what stands in
no group is added below them here.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "averment"
author = "The averment developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "bench/**.md",
    "design/*.md",
    "research/**.md",
]
exclude_patterns = [".*", "build", "dist", "node_modules", "site", "src", "tests"]
source_suffix = {".md": "markdown"}

# What we name must have a place, but for outsiders (numpy, pathlib) and what only experts need.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!averment\.).*"),
    ("py:.*", r"averment\.(claims|costs|filtering|ports|promises|settings|trace)\..*"),
]

myst_heading_anchors = 4  # links such as page.md#a-heading, as they are elsewhere
suppress_warnings = ["myst.header"]  # the page of commands starts some sections a level deeper
highlight_language = "text"
default_role = "code"  # docstrings write `names` as Markdown does

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autoclass_content = "class"
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 72
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "averment"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["start"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif"},
    "dark_css_variables": {"font-stack": "system-ui, sans-serif"},
}


def add_remaining_pages(_app: Sphinx, name: str, source: list[str]) -> None:
    """Below the groups of how-tos, those that stand in none."""
    if name != "docs/how-to/index":
        return
    named = set(re.findall(r"^[a-z-]+$", source[0], flags=re.MULTILINE)) | {"index"}
    rest = sorted(page.stem for page in (HERE / "how-to").glob("*.md") if page.stem not in named)
    if rest:
        pages = "\n".join(rest)
        source[0] += f"\n## And\n\n```{{toctree}}\n:maxdepth: 1\n\n{pages}\n```\n"


def setup(app: Sphinx) -> None:
    """What Sphinx calls first."""
    app.connect("source-read", add_remaining_pages)
