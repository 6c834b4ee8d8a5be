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
            (
                "open(2) on /srv/anna/Notes/Server reset code 911 for key.txt: No such file or directory",
                "… on … No such file or directory"
            ),
            (
                """
                open(2) on /srv/anna/Re: key reset: 911: No such file or directory. The item or its folder has been moved or \
                removed; choose another place.
                """,
                "… on … No such file or directory. The item or its folder has been … or … another …"
            ),
            (
                "It cannot be read: read(2) on key code 911: Input/output error. See /srv/anna/Server key file",
                "It cannot be read: … on … error. …"
            ),
            ("It is not at Notes/Server reset: the key 911", "It is not at …"),
            ("Could not resolve host: the server, key 911", "Could not resolve host: …"),
            ("HTTP/2 from https://hub.example.org/key is unknown", "… from … is unknown"),
            ("token 5f2a9c1177 is unknown", "token … is unknown"),
            ("a” and Anna “b", "a” and …"),
            ("", ""),
        ]
    )
    func redacted(text: String, expected: String) {
        #expect(RedactedText.of(text) == expected)
    }
}
