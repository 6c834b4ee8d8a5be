"""Signatures of Ed25519, as RFC 8032 has them: slow, and open to who can measure times, which is good enough for tests."""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def _add(a, b):
    """The sum of two points of the curve, each as X, Y, Z and T."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    g, h = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    w, x, y, z = f - e, h - g, h + g, f + e
    return w * x % P, y * z % P, x * y % P, w * z % P


def _times(number, point):
    sum_ = (0, 1, 1, 0)
    while number:
        if number & 1:
            sum_ = _add(sum_, point)
        point = _add(point, point)
        number >>= 1
    return sum_


def _base():
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    x = P - x if x & 1 else x
    return x, y, 1, x * y % P


def _encoded(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def _secret(seed):
    digest = hashlib.sha512(seed).digest()
    return (int.from_bytes(digest[:32], "little") & (1 << 254) - 8) | 1 << 254, digest[32:]


def public_key(seed):
    return _encoded(_times(_secret(seed)[0], _base()))


def sign(seed, message):
    scalar, prefix = _secret(seed)
    public = public_key(seed)
    nonce = _number(prefix, message)
    point = _encoded(_times(nonce, _base()))
    return point + ((nonce + _number(point, public, message) * scalar) % ORDER).to_bytes(32, "little")
