"""Sphinx configuration: pages are Markdown (MyST), the API comes from docstrings (numpydoc)."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

ROOT = Path(__file__).parents[1]
os.environ.setdefault("MPLBACKEND", "agg")
sys.path.insert(0, str(ROOT / "docs"))

project = "retime"
author = "The retime authors"
copyright = "the retime authors, MIT licence"
release = version = version_of("retime")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "decisions/template.md"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc sections already give the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
smartquotes = False  # they would turn the two hyphens of options into dashes

html_theme = "furo"
html_title = "retime"
html_copy_source = False
html_show_sourcelink = False


def figure_saved(block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Save the figure that an example's block made, for sphinx-gallery."""
    figure = variables["example_globals"].pop("figure", None)
    if figure is None:
        return ""
    path = next(variables["image_path_iterator"])
    figure.savefig(path, dpi=110)
    return str(figure_rst([path], settings["src_dir"]))


# Examples of the gallery, the easiest first.
_FIRST = ("guided_jump", "surface_kick", "staggered_wave", "music_sync", "moon_walk")


def gallery_place(name: str) -> tuple[int, str]:
    """Return the place of an example in the gallery; those that are not listed follow."""
    short = name.removeprefix("plot_").removesuffix(".py")
    return (_FIRST.index(short) if short in _FIRST else len(_FIRST)), short


# The pictures on the gallery's pages are made when the site is built.
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "conf.gallery_place",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "image_scrapers": ("conf.figure_saved",),
    "capture_repr": (),
}
# Pages that are read on a code host too link to files of the repository.
suppress_warnings = ["myst.xref_missing", "config.cache"]
