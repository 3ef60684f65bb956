from .evaluator import Evaluator as Evaluator
from .job import Evaluated as Evaluated
from .job import Job as Job
from .reading import Reading as Reading

__all__: list[str]
