"""Length tables: one clip at any length, with natural timing and moments where they belong.

``pins`` says where moments are in the output, ``feasible`` which lengths are possible, ``rows`` and
``physics_rows`` solve a few of them, ``knots`` keeps the times that matter, and ``building`` makes
the table. ``judging`` measures a table beside uniform speed.
"""

from retime.length_tables.building import lengths
from retime.length_tables.judging import LengthReport, report
from retime.length_tables.parameters import LengthsParameters

__all__ = ["LengthReport", "LengthsParameters", "lengths", "report"]
