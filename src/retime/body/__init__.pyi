from . import contacts as contacts
from . import ik as ik
from . import metrics as metrics
from .body import LIMBS as LIMBS
from .body import ROLES as ROLES
from .body import Body as Body
from .body import Limb as Limb
from .body import LimbName as LimbName
from .body import find_body as find_body
from .body import with_roles as with_roles

__all__: list[str]
