"""The operators."""

from . import keeping, looking, music, parts, posing, reaching, whole_body

CLASSES = (
    *whole_body.CLASSES, *music.CLASSES, *parts.CLASSES, *posing.CLASSES, *reaching.CLASSES,
    *looking.CLASSES, *keeping.CLASSES,
)  # fmt: skip
