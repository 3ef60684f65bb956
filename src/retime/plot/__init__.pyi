"""The public names and where each is defined; ``lazy_loader`` imports them on first use."""

from .figures import compare as compare
from .figures import lengths as lengths
from .figures import overlay as overlay
from .figures import strip as strip
from .figures import warp as warp

__all__: list[str]
