"""The agent of a user, and another program that coordinates with the apps."""

import contextlib
import os
import subprocess

from waiting import until


class Agent:
    """`sheaf agent`, with a folder of its own to meet in."""

    def __init__(self, binaries, folder, *options):
        self._binaries = binaries
        self._options = options
        self._log = folder.with_name(f"{folder.name}.log")
        self.environment = {"SHEAF_AGENT": str(binaries / "sheaf"), "SHEAF_RUNTIME_DIR": str(folder)}
        folder.mkdir(mode=0o700)

    def __enter__(self):
        with open(self._log, "wb") as log:
            self._process = self._start("sheaf", "agent", *self._options, stderr=log)
        until(self._answers)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(timeout=60)

    def _start(self, program, *words, **options):
        return subprocess.Popen([self._binaries / program, *words], env={**os.environ, **self.environment}, **options)

    def ask(self, *words):
        """What `sheaf` says."""
        return subprocess.run(
            [self._binaries / "sheaf", *words], env={**os.environ, **self.environment}, capture_output=True, text=True,
            timeout=60)

    @property
    def log(self):
        """What it has said on its standard error, which systemd would have in its journal."""
        return self._log.read_text()

    def _answers(self):
        return self._start("sheaf", "locks", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait() == 0

    @contextlib.contextmanager
    def reading(self, item):
        """Another program reads the item meanwhile, so that no app's save of it ends before."""
        reader = self._start("coordination-harness", "reader", item, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with reader:
            assert reader.stdout.readline() == b"reads\n"
            yield
            reader.stdin.close()
        assert reader.returncode == 0
