"""What counts as left behind by tests, and what is the tools' own."""

import pathlib
import tempfile
import unittest

from loading import load

leftovers = load("leftovers")


class LeftoversTests(unittest.TestCase):
    def found(self, *names):
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                (pathlib.Path(folder) / name).mkdir()
            return leftovers.leftovers(folder)

    def test_what_tests_make_is_named(self):
        names = ["FolderLook-1F", "a.lock.txt", "pytest", "sheaf-app-uploads-1F", "shelf-3x9"]
        self.assertEqual(self.found(*reversed(names)), names)

    def test_what_the_tools_keep_is_theirs(self):
        names = ["TemporaryDirectory.t5xgCw", "_home_me_sheaf_.build.lock", "pytest-of-me", "swift-generated-sources"]
        self.assertEqual(self.found(*names), [])

    def test_an_empty_folder_has_nothing(self):
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
