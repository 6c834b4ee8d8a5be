"""What an app keeps of its tabs, to show it again after its end."""

import plistlib

from waiting import until


def is_restoring(app):
    """Whether a state is being given back, by what is on disk."""
    files = app.state.glob("sheaf/*/restoration.plist")
    return any(entry["isRestoring"] for file in files for entry in plistlib.loads(file.read_bytes())["entries"])


def kept(app):
    """What the app keeps of its tabs: state by tab, with activities read; nothing while there is no file of it."""
    files = app.state.glob("sheaf/*/restoration.plist")
    states = [entry["state"] for file in files for entry in plistlib.loads(file.read_bytes())["entries"]]
    for state in states:
        if "activity" in state:
            state["activity"] = plistlib.loads(state["activity"])
    return states


def is_kept(app, holds):
    until(lambda: any(map(holds, kept(app))))


def caret(state):
    return state.get("activity", {}).get("userInfo", {}).get("caret")
