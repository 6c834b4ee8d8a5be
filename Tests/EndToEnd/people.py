"""People who write, rename, link, evict and remove, on several devices; and what of it must not be lost.

A file's lines are marks, each written once. Whoever replaces or removes a file throws away the lines it had at that very
moment, which the exchange of two names tells. All others have to be somewhere at the end.

Packages have their lines in a file among links that lead in circles; their other members all say which save they are of, and so
tell at any time whether one is half. Symbolic links are lines that lead nowhere. Whatever is put at a name takes the place of
what was there, of whatever kind.
"""

import ctypes
import os
import select
import subprocess
import time

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
NOREPLACE, EXCHANGE = 1, 2
# By what an item is known.
MARK = "user.sheaf.identity"
PACKAGE = ".rtfd"
# What each package has beside its lines.
LINKS = {"here": ".", "above": "..", "there": "back", "back": "there", "self": "self"}
# Those of its members that say of which save they are: two that a merge knows as text, one that it does not, one further below.
STATES = ["one.txt", "two.dat", "TXT.rtf", "pages/three.txt"]


def rename(source, target, flags):
    if LIBC.renameat2(AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))


def lines(data):
    return {line for line in data.decode(errors="replace").splitlines() if line.startswith("line ")}


def lines_at(path):
    """All lines of a file, a link, or a tree; links are read, never followed."""
    if path.is_symlink():
        return lines(os.fsencode(os.readlink(path)))
    if not path.is_dir():
        return lines(path.read_bytes())
    return set().union(*(lines_at(member) for member in path.iterdir()))


def is_half(states):
    """Whether members of a package are of several saves, or some are missing."""
    return len(states) != len(STATES) or len(set(states)) > 1


def states_in(data):
    """Of which saves the members are of a package whose bytes are told one after another; none for what is no package."""
    return [line for line in data.decode(errors="replace").splitlines() if line.startswith("state ")]


def what_is_half(path):
    """Why a package is half, as any program sees it: nothing for one that is whole, or has gone, or is another by now."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        found = {}
        for name in STATES:
            try:
                with open(os.open(name, os.O_RDONLY, dir_fd=folder), "rb") as file:
                    found[name] = file.read().decode(errors="replace")
            except FileNotFoundError:
                continue
        if not is_half(list(found.values())):
            return None
        here, opened = os.stat(path, follow_symlinks=False), os.fstat(folder)
        return f"{path} is half: {found}" if (here.st_dev, here.st_ino) == (opened.st_dev, opened.st_ino) else None
    except FileNotFoundError:
        return None
    finally:
        os.close(folder)


def document(name):
    """What a path that is in a package is part of; any other itself."""
    parts = name.split("/")
    for count, part in enumerate(parts, 1):
        if part.endswith(PACKAGE):
            return "/".join(parts[:count])
    return name


class People:
    NAMES = [*(f"{letter}.txt" for letter in "abcdefgh"), "l", f"p{PACKAGE}", f"q{PACKAGE}"]
    # Folders that people put at a name, and files where those are, as they are.
    TAKEN = ["k", "m"]

    def __init__(self, base, choice, evicts=True):
        self.choice, self.count, self.evicts = choice, 0, evicts
        self.written, self.thrown_away = {}, set()
        # Packages that were half at some time, and how many were looked at.
        self.half, self.looks = set(), 0
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
            if deed < 0.24:
                place.mkdir(exist_ok=True)
                self.put(device, path, self.kind(path), "")
            elif deed < 0.5:
                self.edit(device, path)
            elif deed < 0.66:
                self.move(device, path)
            elif deed < 0.75:
                self.remove(device, path)
            elif deed < 0.79 and place != device.folder:
                target = device.folder / self.choice.choice(["z", "x", "y"])
                os.rename(place, target)
                self.tell(device, "renames", place, "to", target)
            elif deed < 0.84:
                # Something of another kind.
                self.put(device, path, self.choice.choice(["file", "link", "package"]), "")
            elif deed < 0.9:
                self.put_folder_or_file(device, place / self.choice.choice(self.TAKEN))
            elif deed < 0.94:
                self.link(device, path, place / self.choice.choice(self.NAMES))
            elif self.evicts:
                self.evict(device, path, deed < 0.97)
        except OSError:
            pass

    def kind(self, path):
        return "package" if path.suffix == PACKAGE else "link" if path.name == "l" else "file"

    def fresh(self):
        self.count += 1
        return self.desk / str(self.count)

    def make(self, kind, place, text):
        if kind == "link":
            place.symlink_to(text)
        elif kind == "file":
            place.write_text(text)
        else:
            place.mkdir()
            (place / "a.txt").write_text(text)
            if kind == "package":
                (place / "pages").mkdir()
                for name in STATES:
                    (place / name).write_text(f"state {self.count}\n")
                for name, target in LINKS.items():
                    (place / name).symlink_to(target)

    def edit(self, device, path):
        """Saves what is there with a line more, as what it is."""
        if path.is_symlink():
            self.put(device, path, "link", "")
        elif path.is_dir():
            self.put(device, path, "package", (path / "a.txt").read_text())
        else:
            self.put(device, path, "file", path.read_text())

    def put(self, device, path, kind, text):
        """Saves a text with one line more, as an editor does: another item in the place of the first, which it gives."""
        # No package has another name: it would be a folder, and each file in it an item.
        if kind == "package" and path.suffix != PACKAGE:
            return
        new = self.fresh()
        line = f"line {self.count} of {device.name}"
        self.make(kind, new, line if kind == "link" else text + line + "\n")
        now = lines_at(new)
        self.written[line] = path
        self.tell(device, "puts a", kind, now, "at", path)
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
        replaced = lines_at(new) - now
        self.tell(device, "has replaced", replaced)
        self.thrown_away |= replaced
        return new

    def put_folder_or_file(self, device, path):
        """Has a folder take the place of a file, or a file that of a folder, with what is in it."""
        if path.is_symlink() or path.is_dir():
            self.put(device, path, "file", "")
        elif not path.exists() or MARK in os.listxattr(path):
            gone = self.put(device, path, "folder", "")
            # What was there is gone, and its conflicts with it.
            for version in device.conflicts_at(gone) if gone else []:
                self.thrown_away |= lines(version)

    def move(self, device, path):
        target = device.folder / self.choice.choice(["", "x"]) / self.choice.choice(self.NAMES)
        # What is a package under one name is a folder under another.
        if (path.suffix == PACKAGE) == (target.suffix == PACKAGE):
            rename(path, target, NOREPLACE)
            self.tell(device, "renames", path, "to", target)

    def remove(self, device, path):
        # Saved so lately that nobody has looked at it, it does not say yet which conflicts go with it; a link never does, and of
        # a file with several names nobody knows which one's the mark is.
        if path.is_symlink() or MARK not in os.listxattr(path) or path.is_file() and path.stat().st_nlink > 1:
            return
        gone = self.fresh()
        rename(path, gone, NOREPLACE)
        self.thrown_away |= lines_at(gone)
        self.tell(device, "removes", path, lines_at(gone))
        # Whoever removes a document removes its conflicts.
        for version in device.conflicts_at(gone):
            self.thrown_away |= lines(version)

    def link(self, device, path, other):
        """Gives a file another name, which is another document."""
        if path.is_file() and PACKAGE not in (path.suffix, other.suffix):
            os.link(path, other, follow_symlinks=False)
            self.tell(device, "links", path, "to", other)

    def evict(self, device, path, leaves):
        """Has contents leave a device, or all that have left it come back, as far as they do now."""
        words = ("evict", path) if leaves else ("download", device.folder)
        if leaves and path.is_symlink():
            return
        try:
            self.tell(device, *words, "ends with", device.run(*words).returncode)
        except subprocess.TimeoutExpired:
            # Cut off, and not aware of it.
            self.tell(device, *words, "takes too long")

    def tell(self, device, *words):
        self.story.append(f"{time.monotonic():.3f} {device.name} " + " ".join(str(word) for word in words))

    def pause(self, seconds, devices):
        """People take their time; meanwhile no package may be half, on any device."""
        end = time.monotonic() + self.choice.random() * seconds
        while True:
            self.look(devices)
            if time.monotonic() > end:
                return
            select.select([], [], [], 0.005)

    def look(self, devices):
        """Notes all packages that are half now."""
        for device in devices:
            for folder, names, _ in os.walk(device.folder):
                # What is on its way has a name of ours until it is whole.
                names[:] = [name for name in names if not name.startswith(".sheaf-")]
                packages = [name for name in names if name.endswith(PACKAGE)]
                names[:] = [name for name in names if name not in packages]
                for name in packages:
                    self.looks += 1
                    half = what_is_half(os.path.join(folder, name))
                    if half is not None:
                        self.half.add(half)
                        self.tell(device, half)

    def bring_back(self, devices):
        """Has all contents come to all devices that have left them, which is needed to compare those; gives what is in the way."""
        if not self.evicts:
            return []
        ends = [(device.name, device.run("download", device.folder)) for device in devices]
        return [f"{name}: {end.stderr or end.stdout}" for name, end in ends if end.returncode != 0]

    def lost(self, devices):
        """The lines that are nowhere, on some device."""
        found = {}
        for device in devices:
            known = set()
            contents = device.contents
            for name in sorted({document(name) for name in contents}):
                for part in (part for part in contents if document(part) == name):
                    known |= lines(contents[part] or b"")
                for version in device.conflicts(name):
                    known |= lines(version)
                    states = states_in(version)
                    if states and is_half(states):
                        self.half.add(f"a version of {name} on {device.name} is half: {states}")
            found[device.name] = known
        return {
            name: sorted(set(self.written) - self.thrown_away - known)
            for name, known in found.items()
            if set(self.written) - self.thrown_away - known
        }
