"""The style check can fail, and lets pass what only looks like an offence."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from loading import load

tidy = load("tidy")


def offences(text, path="Sources/Top/File.swift"):
    return list(tidy.check_text(path, text))


class TidyTests(unittest.TestCase):
    def test_shortcuts_in_product_code_fail(self):
        for line in ["let x = try! f()", "let x = y as! String", "let x = y!.z", "f(y!)", "let x = list[0]!"]:
            self.assertEqual(len(offences(line)), 1, line)

    def test_what_only_looks_like_a_shortcut_passes(self):
        for line in [
            "var view: UIView! {", "func f(_ x: Int!) {}", "if x != y {", "guard !isOpen else { return }",
            'let x = "y!.z try! as!"', "// try! as!", "let manager: UndoManager!",
        ]:
            self.assertEqual(offences(line), [], line)

    def test_queues_that_are_looked_after_fail_in_what_rests(self):
        for line in [
            "DispatchQueue.global(qos: .utility).async {", "let watch = Watch(path, on: .global())", "f(.global())",
            "DispatchQueue.concurrentPerform(iterations: 2) {", 'DispatchQueue(label: "x", attributes: .concurrent)',
        ]:
            self.assertEqual(len(offences(line)), 1, line)
            for place in ["Sources/Hub/File.swift", "Sources/UIKit/File.swift", "Tests/TopTests/T.swift"]:
                self.assertEqual(offences(line, place), [], line)
        for line in ['DispatchQueue(label: "x", qos: .utility).async {', "// DispatchQueue.global()", "state.global"]:
            self.assertEqual(offences(line), [], line)

    def test_tests_may_unwrap_but_not_sleep(self):
        self.assertEqual(offences("let x = y!.z", "Tests/TopTests/T.swift"), [])
        self.assertEqual(len(offences("try await Task.sleep(for: .seconds(1))", "Tests/TopTests/T.swift")), 1)
        self.assertEqual(len(offences("time.sleep(1)", "Tests/EndToEnd/test_x.py")), 1)

    def test_an_unsafe_claim_needs_a_comment_near_it(self):
        claim = "final class Box: @unchecked Sendable {\n    let a = 1\n\n\n}"
        self.assertEqual(len(offences(claim)), 1)
        self.assertEqual(offences("/// Held under one lock.\n" + claim), [])

    def test_long_files_and_functions_fail(self):
        self.assertEqual(len(offences("\n" * 801)), 1)
        body = "    work()\n"
        self.assertEqual(offences("func short() {\n" + body * 68 + "}\n"), [])
        self.assertEqual(offences("func long(\n    x: Int\n) throws {\n" + body * 70 + "}\n")[0][0], 1)
        self.assertEqual(len(offences("init?(x: Int) {\n" + body * 70 + "}\n")), 1)

    def test_a_call_of_a_super_initializer_is_no_long_function(self):
        self.assertEqual(offences("super.init()\n" + "x = 1\n" * 90 + "func f() {}\n"), [])

    def test_words_that_date_or_place_a_text_fail(self):
        for line in ["see /home/ann/x", "as issue 12 says", "// TODO: later", "FIXME"]:
            self.assertEqual(len(offences(line, "Docs/page.md")), 1, line)
        for line in ["// TODO(#12): later", "an issue of taste", "~/home/x", "https://a.org/work/x"]:
            self.assertEqual(offences(line, "Docs/page.md"), [], line)


if __name__ == "__main__":
    unittest.main()
