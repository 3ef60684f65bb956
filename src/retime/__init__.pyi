"""The public names and where each is defined; ``lazy_loader`` imports them on first use."""

from . import errors as errors
from . import io as io
from . import live as live
from . import samples as samples
from .body import Body as Body
from .body import contacts as contacts
from .body import find_body as find_body
from .body import ik as ik
from .body import metrics as metrics
from .body.contacts import detect_contacts as detect_contacts
from .errors import FormatError as FormatError
from .errors import FormatWarning as FormatWarning
from .errors import InfeasibleError as InfeasibleError
from .errors import InputError as InputError
from .errors import MissingDependencyError as MissingDependencyError
from .errors import RetimeError as RetimeError
from .io import read as read
from .io import write as write
from .io.warp_json import read_warp as read_warp
from .io.warp_json import write_warp as write_warp
from .methods.align import align as align
from .methods.guided import guided_signal_warp as guided_signal_warp
from .methods.guided import guided_warp as guided_warp
from .methods.guided import suggest_keytimes as suggest_keytimes
from .methods.physics import PhysicsModel as PhysicsModel
from .methods.physics import physics_warp as physics_warp
from .methods.spline import spline_warp as spline_warp
from .methods.staggered import PoseEdit as PoseEdit
from .methods.staggered import StaggeredPoses as StaggeredPoses
from .methods.surface import ControlPoint as ControlPoint
from .methods.surface import ControlSurfaces as ControlSurfaces
from .methods.surface import SurfaceKey as SurfaceKey
from .methods.surface import surface_warp as surface_warp
from .motion import Motion as Motion
from .motion import Pose as Pose
from .motion import Units as Units
from .motion import kinematics as kinematics
from .motion import quat as quat
from .motion.contact import Contact as Contact
from .motion.edits import apply as apply
from .motion.kinematics import positions as positions
from .motion.layers import PoseLayer as PoseLayer
from .motion.skeleton import EndSite as EndSite
from .motion.skeleton import Skeleton as Skeleton
from .recipe import Recipe as Recipe
from .recipe import Step as Step
from .recipe.json import read_recipe as read_recipe
from .recipe.json import write_recipe as write_recipe
from .timing import TimeWarp as TimeWarp
from .timing import curves as curves
from .timing.curves import BezierCurve as BezierCurve
from .timing.curves import fit_bezier as fit_bezier

__version__: str
__all__: list[str]
