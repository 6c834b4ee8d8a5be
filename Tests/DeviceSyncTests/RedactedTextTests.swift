import DeviceSync
import TestThreads
import Testing

@Suite("What may be said of errors", .onOwnThreads)
struct RedactedTextTests {
    @Test(
        "Common words of errors stay, and nothing else",
        arguments: [
            ("Could not resolve host: hub.example.org", "Could not resolve host: …"),
            (
                "Failed to connect to 192.168.1.20 port 7433: Connection refused",
                "Failed to connect to … Connection refused"
            ),
            ("“Letters to “dear” Anna.txt” cannot be read", "… cannot be read"),
            ("open(2) /srv/me/plan: No such file or directory (2)", "… No such file or directory (2)"),
            ("token 5f2a9c1177 is unknown", "token … is unknown"),
            ("a” and Anna “b", "a” and …"),
            ("", ""),
        ]
    )
    func redacted(text: String, expected: String) {
        #expect(RedactedText.of(text) == expected)
    }
}
