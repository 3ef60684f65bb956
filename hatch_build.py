"""Build hook: a wheel holds the studio's pages, built from ``web/`` where Node.js is at hand."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StudioPages(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the pages before files are collected."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build; a missing Node.js is a warning, since all but the studio works without."""
        script = Path(self.root, "web", "build.py")
        if version == "editable" or not script.exists():
            return  # `make studio` builds them in a source folder
        problem = runpy.run_path(str(script))["build"]()
        if problem is not None:
            self.app.display_warning(problem)
