"""Puts the figures of several files into one report, and prints it as a table.

    report.py REPORT FIGURES...
"""

import json
import pathlib
import sys

KEYS = ("id", "what", "value", "unit", "spread", "runs", "peer", "peerValue", "ratio", "goal", "met")


def main():
    report, *sources = map(pathlib.Path, sys.argv[1:])
    figures = [figure for source in sources for figure in json.loads(source.read_text())]
    figures = [{key: figure.get(key) for key in KEYS} for figure in figures]
    report.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
    head = ("figure", "median", "spread", "peer", "ratio", "goal", "")
    rows = [head, *map(row, figures)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for cells in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
    print("\nSpread: the distance between the quartiles of the runs. Peers, measured in turn with ours:")
    for figure in figures:
        print(f"  {figure['id']}: {figure['what']}" + (f"; beside {figure['peer']}" if figure["peer"] else ""))
    print(f"All of it: {report}")


def row(figure):
    unit = figure["unit"]
    return (
        figure["id"], f"{number(figure['value'])} {unit}", f"{number(figure['spread'])} {unit}",
        f"{number(figure['peerValue'])} {unit}" if figure["peer"] else "",
        "" if figure["ratio"] is None else f"{figure['ratio']:.2f}", figure["goal"] or "",
        "" if figure["met"] is None else "met" if figure["met"] else "MISSED",
    )


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
