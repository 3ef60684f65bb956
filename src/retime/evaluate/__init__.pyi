from .evaluator import Evaluator as Evaluator
from .group import EvaluatedGroup as EvaluatedGroup
from .group import GroupJob as GroupJob
from .group import evaluate_group as evaluate_group
from .job import Evaluated as Evaluated
from .job import Job as Job
from .reading import Reading as Reading

__all__: list[str]
