"""Programs that use retime from outside, such as Blender."""
