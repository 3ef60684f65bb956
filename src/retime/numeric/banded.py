"""Systems of linear equations whose matrix is banded, symmetric and positive definite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime import _native
from retime.arrays import FloatArray, columns

__all__ = ["BandedCholesky", "solve_banded"]


@dataclass(frozen=True, eq=False)
class BandedCholesky:
    """The Cholesky factor of a matrix, which solves systems of many right-hand sides."""

    rows: FloatArray

    @classmethod
    def of(cls, bands: FloatArray, *, lower: bool = False) -> BandedCholesky:
        """Factor a matrix A; raise ``numpy.linalg.LinAlgError`` if it is not positive definite.

        Parameters
        ----------
        bands : array (B, N)
            The diagonals, as in scipy: the last row is the main diagonal, and row B - 1 - k holds
            A[i, i + k] in its column i + k.
        lower : bool
            The first row is the main diagonal, and row k holds A[i + k, i] in its column i.
        """
        rows, failed = _native.numeric.banded_cholesky(
            np.ascontiguousarray(bands, dtype=float), lower
        )
        if failed >= 0:
            raise np.linalg.LinAlgError(f"the matrix is not positive definite in row {failed}")
        return cls(rows)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return x with A x = right; a right-hand side is an array (N,) or (N, D)."""
        return _native.numeric.banded_solution(self.rows, columns(right)).reshape(right.shape)


def solve_banded(bands: FloatArray, right: FloatArray, *, lower: bool = False) -> FloatArray:
    """Solve A x = right once; see :meth:`BandedCholesky.of` for the arguments.

    Examples
    --------
    >>> bands = np.array([[0.0, -1.0, -1.0], [2.0, 2.0, 2.0]])
    >>> solve_banded(bands, np.array([1.0, 0.0, 1.0]))
    array([1., 1., 1.])
    """
    return BandedCholesky.of(bands, lower=lower).solve(right)
