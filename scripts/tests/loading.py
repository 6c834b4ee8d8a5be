"""Loads a script that has no .py in its name."""

import importlib.machinery
import importlib.util
import pathlib
import sys

sys.dont_write_bytecode = True


def load(name):
    path = str(pathlib.Path(__file__).resolve().parents[1] / name)
    spec = importlib.util.spec_from_loader(name, importlib.machinery.SourceFileLoader(name, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
