import Commands
import Testing

/// The commands about the devices of a folder: what they say, and how they end.
@Suite("Commands about devices")
struct SharingCommandsTests {
    private let said = Transcript()
    private let complained = Transcript()
    /// What was asked for.
    private let done = Transcript()

    private func run(
        _ words: String...,
        devices: [SharingRole.Device] = Self.devices,
        answer: Bool = false
    ) -> ExitCode {
        let role = SharingRole(
            devices: { _ in devices },
            revoke: { [done] folder, device in
                done.add("revoke \(folder) \(device.id);")
                return "It is out.\n"
            },
            leave: { [done] folder in done.add("leave \(folder);") },
            makeRecoveryKey: { _, replacesFormer in
                (1...13).map { "\(replacesFormer ? "NEW" : "KEY")\($0 + 10)" }
            },
            checkRecoveryKey: { [done] folder, _ in done.add("check \(folder);") },
            ask: { question, console in
                console.say(question)
                return answer
            }
        )
        return Tool.sheaf(sharing: role).run(words, Console(say: said.add, complain: complained.add))
    }

    private static let devices = [
        SharingRole.Device(id: "00aa11bb22cc33dd", name: "desk", since: "2026-05-01T10:00:00Z", isThis: true),
        SharingRole.Device(id: "00aa99bb22cc33dd", name: "laptop", since: "2026-05-02T10:00:00Z"),
        SharingRole.Device(id: "4455667788990011", name: "recovery key", since: nil, isPaper: true),
        SharingRole.Device(
            id: "8899001122334455",
            name: "pad",
            since: nil,
            isRevoked: true,
            revokedBy: "desk"
        ),
    ]

    @Test("Devices are listed, with the one that one is at, and those that were shut out")
    func listed() {
        #expect(run("devices", "/shared") == .success)
        #expect(
            said.text == """
                00aa11bb22cc33dd  desk  since 2026-05-01T10:00:00Z  (this device)
                00aa99bb22cc33dd  laptop  since 2026-05-02T10:00:00Z
                4455667788990011  recovery key  (on paper)
                8899001122334455  pad  (shut out by desk)

                """
        )
        #expect(run("devices", "/shared", "--json") == .success)
        #expect(said.text.contains("\"revokedBy\" : \"desk\""))
    }

    @Test("A device is meant by its name or by enough of its identifier")
    func named() {
        #expect(run("revoke", "/shared", "laptop") == .success && said.text == "It is out.\n")
        #expect(run("revoke", "/shared", "00AA9") == .success)
        #expect(done.text == "revoke /shared 00aa99bb22cc33dd;revoke /shared 00aa99bb22cc33dd;")
        #expect(run("revoke", "/shared", "00aa") == .failure)
        #expect(complained.text.contains("may be any of 00aa11bb22cc33dd, 00aa99bb22cc33dd"))
        #expect(run("revoke", "/shared", "pad") == .failure)
        #expect(complained.text.contains("“pad” was shut out before by “desk”"))
        #expect(run("revoke", "/shared", "phone") == .failure)
        #expect(complained.text.contains("no device “phone” shares the folder"))
    }

    @Test("Who leaves is told what happens, and asked")
    func leaving() {
        #expect(run("revoke", "/shared", "desk") == .failure && done.text == "")
        #expect(said.text.contains("Others go on: laptop.") && said.text.hasSuffix("Nothing was changed.\n"))
        #expect(run("revoke", "/shared", "desk", answer: true) == .success && done.text == "leave /shared;")
        #expect(run("revoke", "--yes", "/shared", "desk") == .success)
        #expect(done.text == "leave /shared;leave /shared;")
        let withPaper = [Self.devices[0], Self.devices[2], Self.devices[3]]
        #expect(run("revoke", "/shared", "desk", devices: withPaper) == .failure)
        #expect(said.text.contains("Only the key on paper opens what the hub has then"))
        let alone = [Self.devices[0], Self.devices[3]]
        #expect(run("revoke", "--yes", "/shared", "desk", devices: alone) == .failure)
        #expect(complained.text.contains("this is the last device"))
    }

    @Test("The key on paper is shown in lines of four groups, and tried")
    func paper() {
        #expect(run("recovery", "/shared") == .success)
        #expect(said.text.contains("    KEY11  KEY12  KEY13  KEY14\n    KEY15"))
        #expect(said.text.contains("\n    KEY23\n"))
        #expect(run("recovery", "/shared", "--replace") == .success && said.text.contains("NEW11"))
        #expect(run("recovery", "/shared", "--check") == .success && done.text == "check /shared;")
    }
}
