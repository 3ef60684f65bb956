"""The operators."""

from . import keeping, looking, music, parts, posing, whole_body

CLASSES = (
    *whole_body.CLASSES, *music.CLASSES, *parts.CLASSES, *posing.CLASSES, *looking.CLASSES,
    *keeping.CLASSES,
)  # fmt: skip
