from . import contacts as contacts
from .measure import metrics as metrics
from .model.body import LIMBS as LIMBS
from .model.body import ROLES as ROLES
from .model.body import Body as Body
from .model.body import Limb as Limb
from .model.body import LimbName as LimbName
from .model.body import find_body as find_body
from .model.body import with_roles as with_roles
from .solve import ik as ik

__all__: list[str]
