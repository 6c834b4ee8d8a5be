"""The layer check can fail: each test builds a small package with one offence."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from loading import load

layers = load("layers")

TABLE = """# House
<!-- layers -->
| target | what it is | may import of ours | and of the system |
|---|---|---|---|
| `CKernel` | C | | |
| `Ground` | files | `CKernel` | `Foundation` `Glibc` |
| `Top` | app | `Ground` | `Foundation` |
<!-- /layers -->
"""


class LayersTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.targets = {}
        self.write("ARCHITECTURE.md", TABLE)
        self.write("Package.swift", 'targets: [\n.target(name: "Ground"),\n.target(name: "Top"),\n]\n')
        self.target("CKernel", [])
        self.target("Ground", ["CKernel"])
        self.target("Top", ["Ground"])
        self.write("Sources/Ground/File.swift", "internal import CKernel\ninternal import Glibc\n")
        self.write("Sources/Top/App.swift", "public import Foundation\n@testable import Ground\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def target(self, name, dependencies, kind="regular"):
        (self.root / ("Tests" if kind == "test" else "Sources") / name).mkdir(parents=True, exist_ok=True)
        self.targets[name] = {
            "name": name, "type": kind,
            "dependencies": [{"byName": [dependency, None]} for dependency in dependencies]}

    def offences(self):
        return layers.check(self.root, {"targets": list(self.targets.values())})

    def test_a_package_that_keeps_to_the_table_passes(self):
        self.assertEqual(self.offences(), [])

    def test_an_arrow_up_in_the_manifest_fails(self):
        self.target("Ground", ["CKernel", "Top"])
        self.assertEqual(self.offences(), ["Package.swift:2: Ground → Top is no arrow of ARCHITECTURE.md"])

    def test_an_arrow_up_in_the_table_fails(self):
        self.write("ARCHITECTURE.md", TABLE.replace("| `CKernel` | `Foundation`", "| `Top` | `Foundation`"))
        self.assertIn("ARCHITECTURE.md:6: Ground → Top: an arrow must lead to a row above this one", self.offences())

    def test_an_import_that_skips_a_layer_fails(self):
        self.write("Sources/Top/Low.swift", "// why\ninternal import CKernel\n")
        self.assertEqual(self.offences(), [
            "Sources/Top/Low.swift:2: imports CKernel, which Top does not declare in Package.swift",
            "Sources/Top/Low.swift:2: Top → CKernel is no arrow of ARCHITECTURE.md"])

    def test_an_undeclared_import_in_a_test_fails(self):
        self.target("TopTests", ["Top"], kind="test")
        self.write("Tests/TopTests/AppTests.swift", "import Testing\nimport Top\nimport Ground\n")
        self.assertEqual(self.offences(), [
            "Tests/TopTests/AppTests.swift:3: imports Ground, which TopTests does not declare in Package.swift"])

    def test_the_kernel_is_out_of_bounds_above_the_ground(self):
        self.write("Sources/Top/App.swift", "import Glibc\n")
        self.assertEqual(self.offences(), [
            "Sources/Top/App.swift:1: Top must not import Glibc, which calls the kernel by itself (ARCHITECTURE.md)"])

    def test_a_module_of_others_that_is_not_listed_fails(self):
        self.write("Sources/Top/App.swift", "import struct Combine.Just\n")
        self.assertEqual(self.offences(), [
            "Sources/Top/App.swift:1: Top must not import Combine, which is not listed for it (ARCHITECTURE.md)"])

    def test_a_target_without_a_row_fails(self):
        self.target("Newcomer", [])
        self.assertEqual(self.offences(), [
            "Package.swift:1: Newcomer is missing in ARCHITECTURE.md's table of layers"])

    def test_a_row_without_a_target_fails(self):
        del self.targets["Top"]
        self.assertEqual(self.offences(), ["ARCHITECTURE.md:7: Top is no target of Package.swift"])

    def test_a_document_without_a_table_fails(self):
        self.write("ARCHITECTURE.md", "# House\n")
        self.assertTrue(self.offences()[0].startswith("ARCHITECTURE.md:1: no table of layers"))

    def test_a_header_taken_from_another_target_fails(self):
        self.write("Sources/CKernel/kernel.c", '#include <stdio.h>\n#include "../Ground/secret.h"\n')
        self.assertEqual(self.offences(), [
            "Sources/CKernel/kernel.c:2: includes ../Ground/secret.h from outside of its target"])

    def test_words_in_texts_are_no_imports(self):
        self.write("Sources/Top/Text.swift", 'let text = """\nimport Glibc\n"""\n')
        self.assertEqual(self.offences(), [])


if __name__ == "__main__":
    unittest.main()
