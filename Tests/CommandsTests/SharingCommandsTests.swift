import Commands
import Foundation
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
        letIn: @escaping @Sendable (_ done: String) -> [SharingRole.Device] = { _ in [] },
        answer: SharingRole.Answer = .unanswered,
        failure: Failure? = nil
    ) -> ExitCode {
        run(words, devices: devices, letIn: letIn, answer: answer, failure: failure)
    }

    private func run(
        _ words: [String],
        devices: [SharingRole.Device] = Self.devices,
        letIn: @escaping @Sendable (_ done: String) -> [SharingRole.Device] = { _ in [] },
        answer: SharingRole.Answer = .unanswered,
        failure: Failure? = nil
    ) -> ExitCode {
        let role = SharingRole(
            devices: { _ in devices },
            revoke: { [done] folder, device in
                done.add("revoke \(folder) \(device.id);")
                return "It is out.\n"
            },
            letIn: { [done] _, _ in
                // What is shut out is not among it any more.
                let text = done.text
                return letIn(text).filter { !text.contains("revoke /shared \($0.id);") }
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
        SharingRole.Device(
            id: "00aa99bb22cc33dd",
            name: "laptop",
            since: "2026-05-02T10:00:00Z",
            letInBy: "desk"
        ),
        SharingRole.Device(
            id: "4455667788990011",
            name: "recovery key",
            since: nil,
            isPaper: true,
            letInBy: "laptop",
            letInByID: "00aa99bb22cc33dd"
        ),
        SharingRole.Device(
            id: "8899001122334455",
            name: "pad",
            since: nil,
            isRevoked: true,
            revokedBy: "desk",
            letInBy: "desk"
        ),
    ]

    /// What came by the laptop.
    private static let letIn = [
        SharingRole.Device(id: "1000000000000001", name: "tablet", since: nil, letInBy: "laptop"),
        SharingRole.Device(
            id: "2000000000000002",
            name: "recovery key",
            since: nil,
            isPaper: true,
            letInBy: "tablet"
        ),
    ]

    @Test("Devices are listed, with the one that one is at, and those that were shut out")
    func listed() {
        #expect(run("devices", "/shared") == .success)
        #expect(
            said.text == """
                00aa11bb22cc33dd  desk  since 2026-05-01T10:00:00Z  (this device)
                00aa99bb22cc33dd  laptop  since 2026-05-02T10:00:00Z  let in by desk
                4455667788990011  recovery key  let in by laptop  (on paper)
                8899001122334455  pad  let in by desk  (shut out by desk)

                """
        )
        #expect(run("devices", "/shared", "--json") == .success)
        #expect(said.text.contains("\"revokedBy\" : \"desk\""))
        #expect(said.text.contains("\"letInBy\" : \"laptop\""))
        #expect(said.text.contains("\"letInByID\" : \"00aa99bb22cc33dd\""))
    }

    @Test("Where two devices have one name, it is said by its identifier which of them has let in another")
    func sameNames() {
        let other = SharingRole.Device(id: "aaaa001122334455", name: "laptop", since: nil, letInBy: "laptop")
        #expect(run("devices", "/shared", devices: Self.devices + [other]) == .success)
        #expect(said.text.contains("recovery key  let in by laptop (00aa99bb22cc33dd)  (on paper)\n"))
    }

    @Test("A person is asked about each that came by a device that is shut out; that one goes in any case")
    func lettingIn() {
        #expect(run("revoke", "/shared", "laptop", letIn: { _ in Self.letIn }, answer: .yes) == .success)
        #expect(
            done.text == "revoke /shared 00aa99bb22cc33dd;revoke /shared 1000000000000001;"
                + "revoke /shared 2000000000000002;"
        )
        #expect(
            said.text == """
                It is out.
                “laptop” has let in what shares the folder still:
                    1000000000000001  tablet  let in by laptop
                    2000000000000002  recovery key  let in by tablet  (on paper)
                Shut out “tablet” (1000000000000001), too? [yes/no] It is out.
                Shut out “recovery key” (2000000000000002), too? [yes/no] It is out.

                """
        )
    }

    @Test("Who says no keeps what came by a device, and is asked about each all the same")
    func keptIn() {
        #expect(run("revoke", "/shared", "laptop", letIn: { _ in Self.letIn }, answer: .no) == .success)
        #expect(done.text == "revoke /shared 00aa99bb22cc33dd;" && complained.text == "")
        #expect(said.text.contains("[yes/no] Shut out “recovery key” (2000000000000002), too?"))
    }

    @Test("Where nobody answers, nothing goes but the device itself; what stays is named, and it ends with 1")
    func nobodyAnswers() {
        let named = "what becomes of “tablet” (1000000000000001), “recovery key” (2000000000000002)"
        let help = "sheaf revoke --with-let-in /shared 00aa99bb22cc33dd"
        for (number, words) in [["revoke"], ["revoke", "--yes"]].enumerated() {
            let told = SharingCommandsTests()
            let code = told.run(words + ["/shared", "laptop"], letIn: { _ in Self.letIn })
            #expect(code == .failure && told.done.text == "revoke /shared 00aa99bb22cc33dd;")
            #expect(told.complained.text.contains(named) && told.complained.text.contains(help))
            // Whom nobody has answered once, nobody is asked again; scripts are not asked at all.
            #expect(told.said.text.components(separatedBy: "[yes/no]").count == 2 - number)
        }
    }

    @Test("A script says whether what came by a device goes, too; what comes meanwhile goes as well")
    func saidBefore() {
        let late = SharingRole.Device(id: "3000000000000003", name: "late", since: nil, letInBy: "tablet")
        let letIn: @Sendable (String) -> [SharingRole.Device] = { done in
            done.contains("1000000000000001") ? Self.letIn + [late] : Self.letIn
        }
        #expect(run("revoke", "--with-let-in", "/shared", "laptop", letIn: letIn) == .success)
        #expect(done.text.hasSuffix(";revoke /shared 2000000000000002;revoke /shared 3000000000000003;"))
        #expect(!said.text.contains("[yes/no]"))
        let told = SharingCommandsTests()
        #expect(told.run("revoke", "--only", "/shared", "laptop", letIn: letIn) == .success)
        #expect(told.done.text == "revoke /shared 00aa99bb22cc33dd;" && told.complained.text == "")
        #expect(told.said.text.contains("  tablet  let in by laptop\n"))
    }

    @Test("What is said about devices that another one has let in is about no other question")
    func wrongUse() {
        for words in [
            ["--with-let-in", "--only", "/shared", "laptop"], ["--only", "--without-hub", "/shared", "desk"],
            ["--with-let-in", "/shared", "desk"], ["--only", "/shared", "desk"],
        ] {
            #expect(run(["revoke"] + words, answer: .yes) == .wrongUse, "\(words)")
        }
        #expect(done.text == "")
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
        #expect(run("revoke", "/shared", "desk", answer: .yes) == .success && done.text == "leave /shared;")
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
        #expect(run("revoke", "--without-hub", "/shared", "laptop", answer: .yes) == .failure)
        #expect(complained.text.contains("only this device can leave, which is called “desk”"))
        #expect(run("revoke", "--without-hub", "/shared", "00aa11", answer: .yes) == .success)
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
        #expect(run("recovery", "/shared", "--check", "--replace") == .wrongUse)
        #expect(complained.text.contains("give either --check or --replace") && done.text == "check /shared;")
        // What is to be typed next can be copied as it stands.
        #expect(run("recovery", "/My Notes") == .success)
        #expect(said.text.hasSuffix("sheaf recovery '/My Notes' --check\n"))
        #expect(run("revoke", "/My Notes", "none") == .failure)
        #expect(complained.text.hasSuffix("see sheaf devices '/My Notes'\n"))
    }
}
