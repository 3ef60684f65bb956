from .formats import FORMATS as FORMATS
from .formats import Format as Format
from .formats import contacts_in_file as contacts_in_file
from .formats import format_of as format_of
from .formats import keeps_file as keeps_file
from .formats import kind_of as kind_of
from .formats import read as read
from .formats import read_all as read_all
from .formats import write as write

__all__: list[str]
