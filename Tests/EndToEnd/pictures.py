"""Pictures made here, so that the tests carry none."""

import base64
import random
import struct
import zlib


def _file(width, height, color_type, data):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def png(width, height, color=(90, 140, 200)):
    """A PNG picture of one colour with a lighter band, as bytes."""
    band = tuple(min(255, value + 60) for value in color)
    dark = b"\0" + bytes(color) * width
    light = b"\0" + bytes(band) * width
    rows = b"".join(light if height // 3 < row < height // 2 else dark for row in range(height))
    return _file(width, height, 2, zlib.compress(rows))


def noise(width, height):
    """A PNG picture that does not get smaller, as photographs do not: one byte of gray for each pixel."""
    pixels = random.Random(12).randbytes(width * height)
    rows = b"".join(b"\0" + pixels[start:start + width] for start in range(0, width * height, width))
    return _file(width, height, 0, zlib.compress(rows, 1))


def drawn(page, script, width, height, kind="image/jpeg", quality=0.9):
    """A picture that a page's canvas draws; `script` uses `pen`, `width` and `height`."""
    encoded = page.evaluate(
        """async ([script, width, height, type, quality]) => {
            const canvas = new OffscreenCanvas(width, height);
            const pen = canvas.getContext('2d');
            new Function('pen', 'width', 'height', script)(pen, width, height);
            const blob = await canvas.convertToBlob({ type, quality });
            const address = await new Promise((resolve) => {
                const reader = new FileReader();
                reader.onload = () => resolve(reader.result);
                reader.readAsDataURL(blob);
            });
            return address.slice(address.indexOf(',') + 1);
        }""", [script, width, height, kind, quality])
    return base64.b64decode(encoded)


def photograph(chromium, width=4000, height=3000):
    """A JPEG picture of twelve megapixels with something on every one of them."""
    page = chromium.new_page()
    try:
        return drawn(page, """
            const light = pen.createLinearGradient(0, 0, width, height);
            light.addColorStop(0, '#f6c177');
            light.addColorStop(1, '#31748f');
            pen.fillStyle = light;
            pen.fillRect(0, 0, width, height);
            for (let dot = 0; dot < 20000; dot += 1) {
                pen.fillStyle = `hsl(${dot * 137 % 360} 60% 50% / 40%)`;
                pen.fillRect(dot * 7919 % width, dot * 104729 % height, 60, 40);
            }""", width, height)
    finally:
        page.close()
