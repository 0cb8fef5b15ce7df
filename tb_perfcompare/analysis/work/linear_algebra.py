"""Factorisations and solutions of matrices, Fourier transforms.

FLOPs as in textbooks, for matrices with n rows and columns, r right-hand sides: Cholesky n³ / 3, LU with m rows
m n² - n³ / 3 (m >= n), triangular solution n² r, solution with a factorisation 2 n² r, inverse from a Cholesky factor
2 n³ / 3; eigenvalues of a symmetric matrix 4 n³ / 3, with vectors 9 n³; singular values with m rows
4 m n² - 4 n³ / 3, with the first n vectors 14 m n² + 8 n³, with all 4 m² n + 8 m n² + 9 n³ (m >= n). Complex numbers
four times that.
LAPACK Working Note 41, appendix C, https://www.netlib.org/lapack/lawnspdf/lawn41.pdf; Golub and Van Loan, Matrix
Computations, sections 4.2, 5.4 and 8.3. Libraries of a device may use other algorithms.

Fourier transform of N points: 5 N log2 N, for real numbers half, http://www.fftw.org/speed/method.html.
Bytes: inputs, outputs.
"""

from __future__ import annotations

from functools import partial
from math import log2, prod

from tb_perfcompare.analysis.work.recorded_call import MODELS, Call
from tb_perfcompare.analysis.work.tensors import Tensor
from tb_perfcompare.analysis.work.work import NoModelError, Work, need

MATRICES, FOURIER = "linear algebra", "Fourier transform"


def _matrices(x: Tensor) -> tuple[int, int, int]:
    """(number, rows, columns)"""
    need(len(x.sizes) >= 2)
    if x.type.rank < 2:
        raise NoModelError("only floating-point numbers are modeled")
    return prod(x.sizes[:-2]), x.sizes[-2], x.sizes[-1]


def _square(x: Tensor) -> tuple[int, int]:
    """(number, rows)"""
    count, rows, columns = _matrices(x)
    need(rows == columns)
    return count, rows


def _work(x: Tensor, thirds: int, moved: int) -> Work:
    """Work of matrix operations; `thirds` is three times the FLOPs for real numbers."""
    return Work(thirds * (4 if x.type.rank == 3 else 1) // 3, moved, x.type.name, MATRICES)


def cholesky(call: Call) -> Work:
    """linalg_cholesky_ex(A, upper, ...): n³ / 3."""
    x = call.tensor(0)
    count, n = _square(x)
    return _work(x, count * n**3, x.bytes + x.written)


def cholesky_inverse(call: Call) -> Work:
    """cholesky_inverse(L, upper): 2 n³ / 3."""
    x = call.tensor(0)
    count, n = _square(x)
    return _work(x, 2 * count * n**3, x.bytes + x.written)


def lu(call: Call) -> Work:
    """linalg_lu_factor_ex(A, pivot, ...): m n² - n³ / 3, m being the larger size; int32 pivots."""
    x = call.tensor(0)
    count, rows, columns = _matrices(x)
    m, n = max(rows, columns), min(rows, columns)
    return _work(x, count * (3 * m * n**2 - n**3), x.bytes + x.written + 4 * count * n)


def solution(factor: int, right: int, each: int, call: Call, *, left: int = -1) -> Work:
    """Work of a solution with `each` n² r FLOPs; factor and right-hand sides are at these positions.

    The right-hand sides are rows if the flag at `left` is False.
    """
    a, b = call.tensor(factor), call.tensor(right)
    n = _square(a)[1]
    count, rows, columns = _matrices(b)
    need(n == (rows if left < 0 or call.flag(left) else columns))
    return _work(b, 3 * each * n * count * rows * columns, a.bytes + b.bytes + b.written)


def eigenvalues(call: Call) -> Work:
    """_linalg_eigh(A, UPLO, compute_v): 4 n³ / 3, with vectors 9 n³."""
    x, vectors = call.tensor(0), call.flag(2)
    count, n = _square(x)
    real = x.type.size // (2 if x.type.rank == 3 else 1)
    moved = x.bytes + count * n * real + x.written * vectors
    return _work(x, count * (27 if vectors else 4) * n**3, moved)


def singular_values(call: Call) -> Work:
    """_linalg_svd(A, full_matrices, compute_uv, driver)."""
    x, full, vectors = call.tensor(0), call.flag(1), call.flag(2)
    count, rows, columns = _matrices(x)
    m, n = max(rows, columns), min(rows, columns)
    if not vectors:
        thirds = 12 * m * n**2 - 4 * n**3
    elif full:
        thirds = 3 * (4 * m**2 * n + 8 * m * n**2 + 9 * n**3)
    else:
        thirds = 3 * (14 * m * n**2 + 8 * n**3)
    real = x.type.size // (2 if x.type.rank == 3 else 1)
    of_vectors = (m * m if full else m * n) + n * n
    return _work(x, count * thirds, x.bytes + count * (n * real + of_vectors * x.type.size * vectors))


def fourier(real_in: bool, real_out: bool, call: Call) -> Work:
    """_fft_c2c, _fft_r2c(self, dim, normalization, forward or onesided), _fft_c2r(self, dim, normalization, last size).

    N is the product of the sizes of `dim`, of the input, or for c2r of the output, which is longer.
    """
    x = call.tensor(0)
    dims = call.dimensions(1, len(x.sizes))
    need(bool(dims) and x.type.rank == (2 if real_in else 3))
    sizes = list(x.sizes)
    if real_out:
        sizes[dims[-1]] = call.integer(3)
        need(sizes[dims[-1]] >= 0)
    points, count = prod(sizes[dim] for dim in dims), prod(sizes)
    written = 0
    if real_out:
        written = count * x.type.size // 2
    elif real_in:
        half = sizes[dims[-1]] // 2 + 1 if call.flag(3) else sizes[dims[-1]]
        written = count // max(sizes[dims[-1]], 1) * half * 2 * x.type.size
    else:
        written = x.written
    each = 2.5 if real_in or real_out else 5
    flops = round(each * count * log2(points)) if points > 0 else 0
    return Work(flops, x.bytes + written, x.type.name, FOURIER)


MODELS.update({
    "aten::linalg_cholesky_ex": cholesky,
    "aten::cholesky_inverse": cholesky_inverse,
    "aten::linalg_lu_factor_ex": lu,
    "aten::linalg_lu_solve": partial(solution, 0, 2, 2, left=3),
    "aten::_cholesky_solve_helper": partial(solution, 1, 0, 2),
    "aten::linalg_solve_triangular": partial(solution, 0, 1, 1, left=3),
    "aten::_linalg_eigh": eigenvalues,
    "aten::_linalg_svd": singular_values,
    "aten::_fft_c2c": partial(fourier, False, False),
    "aten::_fft_r2c": partial(fourier, True, False),
    "aten::_fft_c2r": partial(fourier, False, True),
})
