"""Processes that do what they are told, line by line: `coordination-harness script`, `values` and `query`."""

import os
import signal
import subprocess
import threading


class ScriptedProcess:
    """One of them. `tell` says what to do, `hears` waits for what it says; what an order is: ScriptedProcess.swift."""

    def __init__(self, binaries, environment, errors, *versions):
        self._start(binaries, environment, errors, "script", *versions)
        assert self.hears("ready ") == f"ready {self.id} joined"

    def _start(self, binaries, environment, errors, *words):
        self._errors = errors
        with open(errors, "wb") as file:
            self._process = subprocess.Popen(
                [binaries / "coordination-harness", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file,
                text=True, bufsize=1, env={**os.environ, **environment})
        self.id = self._process.pid
        self.lines = []
        self._heard = 0
        self._news = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self._process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()

    def tell(self, *words):
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        return self

    def hears(self, *words):
        """Waits for a line that begins so, behind the one that was waited for last; gives the whole line."""
        beginning = " ".join(map(str, words))

        def found():
            return next((index for index in range(self._heard, len(self.lines))
                         if self.lines[index].startswith(beginning)), None)

        with self._news:
            if not self._news.wait_for(lambda: found() is not None, timeout=60):
                raise AssertionError(f"no “{beginning}” in {self.lines[self._heard:]} of {self.lines}")
            index = found()
            self._heard = index + 1
            return self.lines[index]

    def does(self, access, *words):
        """Something inside an access, done when this comes back."""
        self.tell(access, *words).hears(access, "done")
        return self

    def ends(self, access):
        self.tell(access, "end").hears(access, "ended")
        return self

    @property
    def complaints(self):
        """What it has said on its standard error."""
        return self._errors.read_text()

    def leave(self):
        """Lets it end, with all that it has said said."""
        self._process.stdin.close()
        self._process.wait(timeout=60)

    def stop(self):
        """Has it do nothing until it goes on: each of its threads has stopped when this comes back."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.id, os.WSTOPPED)

    def go_on(self):
        self._process.send_signal(signal.SIGCONT)

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


class KeyValueProcess(ScriptedProcess):
    """An app with a key-value store: KeyValueProcess.swift."""

    def __init__(self, binaries, environment, errors):
        self._start(binaries, environment, errors, "values")
        self.hears("ready")

    def set(self, key, text):
        self.tell("set", key, text).hears("set", key)

    def get(self, key):
        return self.tell("get", key).hears(f"{key} is ").removeprefix(f"{key} is ")


class QueryProcess(ScriptedProcess):
    """An app with a standing query: QueryProcess.swift."""

    def __init__(self, binaries, environment, errors, *folder):
        self._start(binaries, environment, errors, "query", *folder)
        self.found = int(self.hears("found ").split()[1])

    @property
    def processor_ticks(self):
        """The processor time that it has used, in hundredths of a second."""
        with open(f"/proc/{self.id}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
