"""A program that has taken the port of an app that ended."""

import base64
import hashlib
import socket
import struct
import threading


class Impostor:
    """Answers a tab's line with what it is told to say, and writes down what it hears and is asked for."""

    def __init__(self, port, says=(), script="globalThis.isTaken = true;"):
        self._says, self._script = says, script
        self.heard, self.targets = [], []
        self.line_count = self.ended_line_count = 0
        self._sockets = []
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen()
        threading.Thread(target=self._take, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in [self._listener, *self._sockets]:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side was faster
            connection.close()

    def _take(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection, connection.makefile("rb") as stream:
                target = stream.readline().split()[1].decode()
                self.targets.append(target)
                headers = dict(line.decode().strip().split(": ", 1) for line in iter(stream.readline, b"\r\n"))
                if target.startswith("/live"):
                    self._talk(connection, stream, headers["Sec-WebSocket-Key"])
                else:
                    connection.sendall(
                        b"HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nConnection: close\r\n"
                        b"Content-Length: %d\r\n\r\n%b" % (len(self._script), self._script.encode()))
        except (OSError, IndexError, struct.error):
            pass  # whoever connected has gone

    def _talk(self, connection, stream, key):
        accepted = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(accepted) + b"\r\n\r\n")
        self.line_count += 1
        try:
            for message in self._says:
                connection.sendall(self._text_frame(message.encode()))
            while (frame := self._frame(stream))[0] == 1:
                self.heard.append(frame[1].decode())
        finally:
            self.ended_line_count += 1

    @staticmethod
    def _text_frame(data):
        if len(data) < 126:
            head = struct.pack("!BB", 0x81, len(data))
        elif len(data) < 1 << 16:
            head = struct.pack("!BBH", 0x81, 126, len(data))
        else:
            head = struct.pack("!BBQ", 0x81, 127, len(data))
        return head + data

    @staticmethod
    def _frame(stream):
        kind, size = struct.unpack("!BB", stream.read(2))
        size &= 0x7F
        if size > 125:
            size = struct.unpack(*(("!H", stream.read(2)) if size == 126 else ("!Q", stream.read(8))))[0]
        mask = stream.read(4)
        return kind & 15, bytes(byte ^ mask[index % 4] for index, byte in enumerate(stream.read(size)))
