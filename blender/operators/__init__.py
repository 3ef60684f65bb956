"""The operators."""

from . import keeping, looking, parts, whole_body

CLASSES = (*whole_body.CLASSES, *parts.CLASSES, *looking.CLASSES, *keeping.CLASSES)
