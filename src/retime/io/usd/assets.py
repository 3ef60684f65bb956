"""Assets of a layer, in the process that runs USD: update their paths, and package them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf, Usd, UsdUtils

from retime.io.links import path_from
from retime.process.library import Refused


def rebase(layer: Any, old: str, new: str | None) -> int:
    """Change the relative paths in a layer, so that they find the same files from another folder.

    Without a new folder they become absolute. Files that are found by a search path, and not beside
    the layer, keep their paths. Returns the number of paths.
    """
    count = 0

    def lead(path: str) -> str:
        nonlocal count
        outer, inner = Ar.SplitPackageRelativePathOuter(path)
        plain, mark, arguments = outer.partition(":SDF_FORMAT_ARGS:")
        if not plain or os.path.isabs(plain) or "://" in plain or plain.startswith("`"):
            return path
        place = os.path.normpath(os.path.join(old, plain))
        searched = not plain.startswith(("./", "../"))
        if searched and not os.path.exists(place) and not os.path.isdir(os.path.dirname(place)):
            return path
        count += 1
        moved = place if new is None else path_from(place, new)
        if new is not None and not moved.startswith(".") and not os.path.isabs(moved):
            moved = f"./{moved}"
        moved += mark + arguments
        return str(Ar.JoinPackageRelativePath(moved, inner)) if inner else moved

    offsets = list(layer.subLayerOffsets)
    UsdUtils.ModifyAssetPaths(layer, lead)
    for k, offset in enumerate(offsets):  # renaming a sublayer resets its time offset
        layer.subLayerOffsets[k] = offset
    return count


def export(layer: Any, path: str, form: str | None) -> None:
    """Write a layer; ``.usd`` files are text or binary as given."""
    arguments = {"format": form} if form and path.endswith(".usd") else {}
    if not layer.Export(path, args=arguments):
        raise Refused("USD could not write the layer")


def pack(folder: str, names: Sequence[str], into: str) -> None:
    """Make a package of files of a folder, in their order: USD aligns them as it must."""
    maker = Sdf if hasattr(Sdf, "ZipFileWriter") else Usd  # it moved in 25.08
    writer = maker.ZipFileWriter.CreateNew(into)
    for name in names:
        if not writer.AddFile(str(Path(folder) / name), name):
            raise Refused(f"USD could not pack {name}")
    if not writer.Save():
        raise Refused("USD could not write the package")


def pack_anew(path: str, into: str) -> None:
    """Package a layer with all its assets."""
    if not UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(path), into):
        raise Refused("USD could not make a package of it; is a file missing that it names?")
