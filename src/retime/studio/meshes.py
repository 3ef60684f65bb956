"""Meshes of motions' files, as windows draw them: glTF and FBX files themselves, USD as glTF."""

from __future__ import annotations

from pathlib import Path

from retime.motion import Motion

# A window reads these files itself.
READ_BY_WINDOWS = (".glb", ".gltf", ".vrm", ".vrma", ".fbx")


def has_mesh(motion: Motion) -> bool:
    """Return whether a window can draw the skinned mesh of the motion's file."""
    if motion.origin is None:
        return False
    if motion.origin.format == "fbx":
        from retime.io.fbx.skins import is_skinned

        return is_skinned(motion)
    return bool(mesh_nodes(motion))


def mesh_nodes(motion: Motion) -> list[int]:
    """Return the glTF node of every joint; in FBX files joints are known by their names."""
    form = None if motion.origin is None else motion.origin.format
    if form == "gltf":
        from retime.io.gltf import skinned_nodes

        return skinned_nodes(motion)
    if form == "usd":
        from retime.io.usd.skins import is_skinned

        return list(range(len(motion.skeleton))) if is_skinned(motion) else []
    return []


def write_mesh(motion: Motion, path: str) -> None:
    """Write the mesh of a motion's USD file as a GLB."""
    from retime.io.usd.skins import skin_document

    skin_document(motion).save(Path(path))
