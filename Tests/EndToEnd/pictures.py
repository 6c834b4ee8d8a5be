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


# A lake between hills at sunrise.
LAKE = """
    const shore = height * 0.62;
    const sky = pen.createLinearGradient(0, 0, 0, shore);
    [[0, '#33507c'], [0.45, '#8a86a8'], [0.78, '#f0b59a'], [1, '#fbdcae']]
        .forEach(([at, colour]) => sky.addColorStop(at, colour));
    pen.fillStyle = sky;
    pen.fillRect(0, 0, width, shore);
    const sun = { x: width * 0.64, y: shore * 0.8 };
    const glow = pen.createRadialGradient(sun.x, sun.y, 0, sun.x, sun.y, width * 0.34);
    [[0, 'rgb(255 246 220 / 95%)'], [0.09, 'rgb(255 232 184 / 85%)'], [0.3, 'rgb(255 214 160 / 35%)'],
        [1, 'rgb(255 214 160 / 0%)']].forEach(([at, colour]) => glow.addColorStop(at, colour));
    pen.fillStyle = glow;
    pen.fillRect(0, 0, width, shore);
    const wave = (x, seed) => Math.sin(x * 2.1 + seed) * 0.5 + Math.sin(x * 4.7 + seed * 2) * 0.27
        + Math.sin(x * 9.3 + seed * 3) * 0.12 + Math.sin(x * 23 + seed * 5) * 0.035;
    const layers = [['#8d7f9d', 0.36, 0.16, 1.2], ['#5f5f82', 0.24, 0.14, 3.9], ['#3b4a63', 0.13, 0.1, 0.4],
        ['#22323f', 0.05, 0.05, 5.3]];
    for (const [colour, rise, swing, seed] of layers) {
        pen.beginPath();
        pen.moveTo(0, shore);
        for (let x = 0; x <= width; x += 2) {
            pen.lineTo(x, shore - shore * (rise + swing * wave(x / width * 3, seed)));
        }
        pen.lineTo(width, shore);
        const haze = pen.createLinearGradient(0, shore * 0.5, 0, shore);
        haze.addColorStop(0, colour);
        haze.addColorStop(1, `color-mix(in srgb, ${colour} 72%, #f0c4a8)`);
        pen.fillStyle = haze;
        pen.fill();
    }
    const depth = height - shore;
    const mirror = new OffscreenCanvas(width, height);
    mirror.getContext('2d').drawImage(pen.canvas, 0, 0);
    for (let y = 0; y < depth; y += 1) {
        const far = y / depth;
        const shift = Math.sin(y * 0.9) * far * 3 + Math.sin(y * 0.23) * far * 5;
        pen.drawImage(mirror, 0, shore - 1 - y * 1.45, width, 1, shift - 8, shore + y, width + 16, 1);
    }
    const water = pen.createLinearGradient(0, shore, 0, height);
    water.addColorStop(0, 'rgb(32 48 70 / 12%)');
    water.addColorStop(1, 'rgb(18 30 48 / 62%)');
    pen.fillStyle = water;
    pen.fillRect(0, shore, width, depth);
    for (let line = 0; line < 60; line += 1) {
        const far = (line / 60) ** 1.6;
        pen.fillStyle = `rgb(255 236 205 / ${10 - far * 7}%)`;
        const reach = (18 + (line * 37 % 61)) * (0.6 + far * 2);
        const side = (line * 53 % 97) / 97 - 0.5;
        pen.fillRect(sun.x + side * width * (0.05 + far * 0.2) - reach / 2, shore + 3 + far * depth, reach, 1.4);
    }
"""
