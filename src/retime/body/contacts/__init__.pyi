from .detector import find_contacts as find_contacts
from .found import Floor as Floor
from .found import FoundContacts as FoundContacts
from .plants import Contact as Contact
from .plants import contacts_from_events as contacts_from_events
from .plants import detect_contacts as detect_contacts
from .slides import Slide as Slide
from .slides import find_slides as find_slides

__all__: list[str]
