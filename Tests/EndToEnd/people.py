"""People who write, rename and remove, on several devices; and what of it must not be lost.

A file's lines are marks, each written once. Whoever replaces or removes a file throws away the lines it had at that very
moment, which the exchange of two names tells. All others have to be somewhere at the end.
"""

import ctypes
import os
import select
import time

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
NOREPLACE, EXCHANGE = 1, 2
# By what an item is known.
MARK = "user.sheaf.identity"


def rename(source, target, flags):
    if LIBC.renameat2(AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))


def lines(data):
    return {line for line in data.decode(errors="replace").splitlines() if line}


class People:
    NAMES = [f"{letter}.txt" for letter in "abcdefgh"]

    def __init__(self, base, choice):
        self.choice, self.count = choice, 0
        self.written, self.thrown_away = {}, set()
        # What was done, to be read when something is lost.
        self.story = []
        # On the same volume, and in nobody's folder.
        self.desk = base / "desk"
        self.desk.mkdir()

    def act(self, device):
        """One thing that somebody does on a device. What another has moved or removed meanwhile is not there."""
        place = device.folder / self.choice.choice(["", "x", "y"])
        path = place / self.choice.choice(self.NAMES)
        deed = self.choice.random()
        try:
            if deed < 0.3:
                place.mkdir(exist_ok=True)
                self.put(device, path, "")
            elif deed < 0.55:
                self.put(device, path, path.read_text())
            elif deed < 0.75:
                target = device.folder / self.choice.choice(["", "x"]) / self.choice.choice(self.NAMES)
                rename(path, target, NOREPLACE)
                self.tell(device, "renames", path, "to", target)
            elif deed < 0.85:
                if MARK not in os.listxattr(path):
                    # Saved so lately that nobody has looked at it: it does not say yet which conflicts go with it.
                    return
                gone = self.fresh()
                rename(path, gone, NOREPLACE)
                self.thrown_away |= lines(gone.read_bytes())
                self.tell(device, "removes", path, lines(gone.read_bytes()))
                # Whoever removes a document removes its conflicts.
                for version in device.conflicts_at(gone):
                    self.thrown_away |= lines(version)
            elif deed < 0.9 and place != device.folder:
                target = device.folder / self.choice.choice(["z", "x", "y"])
                os.rename(place, target)
                self.tell(device, "renames", place, "to", target)
        except OSError:
            pass

    def fresh(self):
        self.count += 1
        return self.desk / str(self.count)

    def put(self, device, path, text):
        """Saves a text with one line more, as an editor does: another file in the place of the first."""
        new = self.fresh()
        line = f"line {self.count} of {device.name}"
        new.write_text(text + line + "\n")
        self.written[line] = path
        self.tell(device, "puts", lines((text + line).encode()), "at", path)
        try:
            rename(new, path, EXCHANGE)
        except FileNotFoundError:
            try:
                rename(new, path, NOREPLACE)
            except OSError:
                del self.written[line]
                raise
            return
        # What came out had been there until now.
        replaced = lines(new.read_bytes()) - lines((text + line).encode())
        self.tell(device, "has replaced", replaced)
        self.thrown_away |= replaced

    def tell(self, device, *words):
        self.story.append(f"{time.monotonic():.3f} {device.name} " + " ".join(str(word) for word in words))

    def pause(self, seconds):
        """People take their time."""
        select.select([], [], [], self.choice.random() * seconds)

    def lost(self, devices):
        """The lines that are nowhere, on some device."""
        found = {}
        for device in devices:
            known = set()
            for name, data in device.contents.items():
                if data is None:
                    continue
                known |= lines(data)
                for version in device.conflicts(name):
                    known |= lines(version)
            found[device.name] = known
        return {
            name: sorted(set(self.written) - self.thrown_away - known)
            for name, known in found.items()
            if set(self.written) - self.thrown_away - known
        }
