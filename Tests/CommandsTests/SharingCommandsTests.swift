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
        answer: Bool = false,
        failure: Failure? = nil
    ) -> ExitCode {
        let role = SharingRole(
            devices: { _ in devices },
            revoke: { [done] folder, device in
                done.add("revoke \(folder) \(device.id);")
                return "It is out.\n"
            },
            leave: { [done] folder in done.add("leave \(folder);") },
            forget: { [done] folder, isMeant in
                if try isMeant(Self.devices[0]) { done.add("forget \(folder);") }
            },
            makeRecoveryKey: { _, replacesFormer, show in
                try show((1...13).map { "\(replacesFormer ? "NEW" : "KEY")\($0 + 10)" })
                if let failure { throw failure }
            },
            checkRecoveryKey: { [done] folder, _ in done.add("check \(folder);") },
            ask: { question, console in
                console.say(question)
                return answer
            }
        )
        return Tool.sheaf(sharing: role).run(words, Console(say: said.add, complain: complained.add))
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
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
        #expect(run("revoke", "/shared", "phone") == .failure)
        #expect(complained.text.contains("no device “phone” shares the folder"))
    }

    @Test("A device that was shut out before is ended again, unless one that shares the folder has its name")
    func again() {
        #expect(run("revoke", "/shared", "pad") == .success && said.text == "It is out.\n")
        var devices = Self.devices
        devices.append(SharingRole.Device(id: "aaaa001122334455", name: "pad", since: nil))
        #expect(run("revoke", "/shared", "pad", devices: devices) == .success)
        #expect(run("revoke", "/shared", "8899", devices: devices) == .success)
        #expect(
            done.text == "revoke /shared 8899001122334455;revoke /shared aaaa001122334455;"
                + "revoke /shared 8899001122334455;"
        )
        devices[4].isRevoked = true
        #expect(run("revoke", "/shared", "pad", devices: devices) == .failure)
        #expect(complained.text.contains("may be any of 8899001122334455, aaaa001122334455"))
        // Of this device nothing is left to be asked.
        devices[0].isRevoked = true
        #expect(run("revoke", "/shared", "desk", devices: devices) == .success)
        #expect(done.text.hasSuffix(";leave /shared;") && said.text.contains("was shut out before; the hub"))
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

    @Test("Without the hub this device alone is forgotten, after a question")
    func forgetting() {
        #expect(run("revoke", "--without-hub", "/shared", "desk") == .failure && done.text == "")
        #expect(said.text.hasSuffix("Nothing was changed.\n"))
        #expect(run("revoke", "--without-hub", "/shared", "laptop", answer: true) == .failure)
        #expect(complained.text.contains("only this device can leave, which is called “desk”"))
        #expect(run("revoke", "--without-hub", "/shared", "00aa11", answer: true) == .success)
        #expect(run("revoke", "--without-hub", "--yes", "/shared", "desk") == .success)
        #expect(done.text == "forget /shared;forget /shared;")
        #expect(said.text.hasSuffix("It is forgotten here.\n"))
    }

    @Test("The key on paper is shown in lines of four groups, and tried")
    func paper() {
        #expect(run("recovery", "/shared") == .success)
        #expect(said.text.contains("    KEY11  KEY12  KEY13  KEY14\n    KEY15"))
        #expect(said.text.contains("\n    KEY23\n"))
        // It is in somebody's hands before anything is wrong with the former one.
        let failure = Failure(description: "the former one stays")
        #expect(run("recovery", "/shared", "--replace", failure: failure) == .failure)
        #expect(said.text.contains("\n    NEW23\n"))
        #expect(complained.text == "sheaf recovery: the former one stays\n")
        #expect(run("recovery", "/shared", "--replace") == .success && said.text.contains("NEW11"))
        #expect(run("recovery", "/shared", "--check") == .success && done.text == "check /shared;")
    }
}
