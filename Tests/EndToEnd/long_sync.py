"""A hub and devices, each in a network of its own, for minutes: killed at random, cut off, the hub put back to backups.

Needs to be root, and iproute2. Run by scripts/long-run.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from devices import Device, Hub, wait_for
from people import People
from test_sync import SHEAF, World

HOST = "10.77.0.1"


def ip(*words, check=True):
    return subprocess.run(["ip", *map(str, words)], check=check, capture_output=True, text=True)


class Networks:
    """One network for the hub with a bridge in it, and one for each device, with a cable to that."""

    def __init__(self, count):
        self.tag = f"sheaf{random.randrange(10_000)}"
        self.names = [f"{self.tag}-{number}" for number in range(count)]
        self.hub = f"{self.tag}-hub"
        for name in [self.hub, *self.names]:
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", self.hub, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.hub, "addr", "add", f"{HOST}/24", "dev", "bridge")
        ip("-n", self.hub, "link", "set", "bridge", "up")
        for number, name in enumerate(self.names):
            ip("-n", self.hub, "link", "add", f"to{number}", "type", "veth", "peer", "name", "cable", "netns", name)
            ip("-n", self.hub, "link", "set", f"to{number}", "master", "bridge", "up")
            ip("-n", name, "addr", "add", f"10.77.0.{number + 10}/24", "dev", "cable")
            ip("-n", name, "link", "set", "cable", "up")

    def plug(self, number, isIn):
        """Who is unplugged hears nothing more, not even that."""
        ip("-n", self.hub, "link", "set", f"to{number}", "up" if isIn else "down")

    def end(self):
        for name in [self.hub, *self.names]:
            ip("netns", "del", name, check=False)


class LongWorld(World):
    def __init__(self, base, count, networks):
        self.hub = Hub(SHEAF, base, HOST)
        self.hub.prefix = ("ip", "netns", "exec", networks.hub)
        self.hub.start()
        self.devices = [Device(SHEAF, base, f"device-{number}") for number in range(count)]
        for device, name in zip(self.devices, networks.names):
            device.prefix = ("ip", "netns", "exec", name)
        self.share()


def run(base, networks, arguments, choice):
    world = LongWorld(base, arguments.devices, networks)
    # People who hurry like these would be asked all the time. Once each runs: it is to hear of it.
    world.settle()
    for device in world.devices:
        device.run("decide", device.folder, "--brake", "off", check=True)
    # What only a hub has is lost with what it has lost.
    people = People(base, choice, evicts=not arguments.restores)
    counts = {"deeds": 0, "kills": 0, "cuts": 0, "backups": 0, "restores": 0, "settled": 0}
    cut, backup = set(), None
    try:
        end = time.monotonic() + 60 * arguments.minutes
        nextMeeting = time.monotonic() + 60
        while time.monotonic() < end:
            chance = choice.random()
            if chance < 0.02:
                victim = choice.choice([*world.devices, world.hub])
                victim.kill()
                victim.start()
                counts["kills"] += 1
                people.story.append(f"{time.monotonic():.3f} {victim.log} killed")
            elif chance < 0.03:
                number = choice.randrange(len(world.devices))
                networks.plug(number, number in cut)
                cut ^= {number}
                counts["cuts"] += number in cut
                people.story.append(f"{time.monotonic():.3f} cut off now: {cut}")
            elif chance < 0.031:
                backup = base / f"backup {counts['backups']}"
                world.hub.back_up(backup)
                counts["backups"] += 1
            elif chance < 0.0313 and backup is not None and arguments.restores:
                world.hub.kill()
                world.hub.put_back(backup)
                world.hub.start()
                counts["restores"] += 1
                people.story.append(f"{time.monotonic():.3f} hub put back to {backup}")
            people.act(choice.choice(world.devices))
            counts["deeds"] += 1
            people.pause(0.05, world.devices)
            if time.monotonic() > nextMeeting:
                # All come to the same now and then, so that a fault is found near what made it.
                for number in sorted(cut):
                    networks.plug(number, True)
                cut = set()
                meet(world, people)
                counts["settled"] += 1
                nextMeeting = time.monotonic() + 60
        for number in sorted(cut):
            networks.plug(number, True)
        meet(world, people)
        print(
            f"{counts}, {people.count} files written, {len(people.thrown_away)} lines thrown away, "
            f"{people.looks} looks at packages: nothing is lost, nothing is half"
        )
    except AssertionError:
        (base / "story").write_text("\n".join(people.story))
        raise
    finally:
        world.end()


def meet(world, people):
    for process in [*world.devices, world.hub]:
        assert process.is_running, process.said[-2000:]
    # A line that died in silence is given up after a minute.
    wait_for(lambda: not people.bring_back(world.devices), 180, lambda: people.bring_back(world.devices))
    world.settle(180)
    # Until then its device takes itself to be in step, and may have all that the others have but a conflict that they have
    # seen since: documents tell nothing of that. What is lost does not come back by waiting.
    lost = {}

    def is_all_there():
        nonlocal lost
        lost = people.lost(world.devices)
        return not lost

    wait_for(is_all_there, 90, lambda: lost)
    people.look(world.devices)
    assert people.half == set(), people.half


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 100_000))
    parser.add_argument("--restores", action="store_true", help="put the hub back to backups, too")
    parser.add_argument("--keep", action="store_true", help="leave all files for a look")
    arguments = parser.parse_args()
    print(f"--seed {arguments.seed}", flush=True)
    base = Path(tempfile.mkdtemp(prefix="sheaf-long-"))
    networks = Networks(arguments.devices)
    try:
        run(base, networks, arguments, random.Random(arguments.seed))
    finally:
        networks.end()
        if arguments.keep:
            print(base)
        else:
            shutil.rmtree(base)


if __name__ == "__main__":
    sys.exit(main())
