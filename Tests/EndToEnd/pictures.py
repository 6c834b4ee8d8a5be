"""Pictures made here, so that the tests carry none."""

import struct
import zlib


def png(width, height, color=(90, 140, 200)):
    """A PNG picture of one colour with a lighter band, as bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    band = tuple(min(255, value + 60) for value in color)
    dark = b"\0" + bytes(color) * width
    light = b"\0" + bytes(band) * width
    rows = b"".join(light if height // 3 < row < height // 2 else dark for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
