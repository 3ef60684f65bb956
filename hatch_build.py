"""Build hook: sdist and wheel contain the studio's pages, built from ``web/``.

Building needs Node.js unless the pages are built already, as they are in an sdist. Set
``RETIME_WITHOUT_STUDIO=1`` to build without them.
"""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StudioPages(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the pages before files are collected."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the pages; fail where that is not possible: a wheel without them is no release."""
        script = Path(self.root, "web", "build.py")
        if version == "editable" or not script.exists():
            return  # `make studio` builds them in a source folder
        problem = runpy.run_path(str(script))["build"]()
        if problem is None:
            return
        if not os.environ.get("RETIME_WITHOUT_STUDIO"):
            raise RuntimeError(
                f"{problem}. Set RETIME_WITHOUT_STUDIO=1 to build without the studio."
            )
        self.app.display_warning(problem)
