"""Merges two replicas with as many concurrent changes each, half of them on the same keys, by a CRDT library.

    crdt-merge.py LIBRARY COUNT RUNS

LIBRARY is pycrdt, loro or ypy. Prints the seconds of each run as JSON: one side's changes encoded and applied to the
other, then read out as Python values; and the peak memory in bytes. The keys and values are those of
ChangeSetBenchmark.swift.
"""

import json
import resource
import sys
import time


def yrs(count):
    from pycrdt import Doc, Map

    base = Doc({"m": Map()})
    base["m"]["origin"] = "x"
    start = base.get_update()

    def replica():
        doc = Doc({"m": Map()})
        doc.apply_update(start)
        return doc

    def fill(doc, first, side):
        entries = doc["m"]
        for i in range(count):
            entries[f"obj{first + i:06d}"] = f"{side}-value-{i}"

    here, there = replica(), replica()
    vector = here.get_state()
    fill(here, 0, "A")
    fill(there, count // 2, "B")
    return (lambda: here.apply_update(there.get_update(vector))), (lambda: here["m"].to_py())


def ypy(count):
    import y_py

    base = y_py.YDoc()
    with base.begin_transaction() as change:
        base.get_map("m").set(change, "origin", "x")
    start = y_py.encode_state_as_update(base)

    def replica():
        doc = y_py.YDoc()
        y_py.apply_update(doc, start)
        return doc

    def fill(doc, first, side):
        entries = doc.get_map("m")
        for i in range(count):
            with doc.begin_transaction() as change:
                entries.set(change, f"obj{first + i:06d}", f"{side}-value-{i}")

    here, there = replica(), replica()
    vector = y_py.encode_state_vector(here)
    fill(here, 0, "A")
    fill(there, count // 2, "B")
    return (
        lambda: y_py.apply_update(here, y_py.encode_state_as_update(there, vector)),
        lambda: dict(here.get_map("m").items()),
    )


def loro(count):
    from loro import ExportMode, LoroDoc

    base = LoroDoc()
    base.get_map("m").insert("origin", "x")
    base.commit()
    start = base.export(ExportMode.Snapshot())

    def replica(peer):
        doc = LoroDoc()
        doc.peer_id = peer
        doc.import_(start)
        return doc

    def fill(doc, first, side):
        entries = doc.get_map("m")
        for i in range(count):
            entries.insert(f"obj{first + i:06d}", f"{side}-value-{i}")
            doc.commit()

    here, there = replica(1), replica(2)
    vector = here.oplog_vv
    fill(here, 0, "A")
    fill(there, count // 2, "B")
    return (
        lambda: here.import_(there.export(ExportMode.Updates(vector))),
        lambda: here.get_deep_value()["m"],
    )


def main():
    library, count, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    make = {"pycrdt": yrs, "loro": loro, "ypy": ypy}[library]
    seconds = []
    for _ in range(runs):
        merge, read = make(count)
        start = time.perf_counter()
        merge()
        values = read()
        seconds.append(time.perf_counter() - start)
        if len(values) != count // 2 + count + 1:
            sys.exit(f"{library}: {len(values)} values after the merge")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "peakBytes": peak}))


if __name__ == "__main__":
    main()
