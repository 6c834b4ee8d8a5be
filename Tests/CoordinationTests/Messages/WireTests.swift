import Coordination
import Foundation
import SeededNumbers
import Testing

@Suite("The agent's wire format")
struct WireTests {
    @Test("Every message comes back as it was written, ids and all")
    func roundTrip() throws {
        for message in WireSamples.clientMessages {
            let frame = WireSamples.frame(message)
            #expect(try ClientMessage(frame: frame, own: WireSamples.own) == message)
        }
        for message in WireSamples.agentMessages {
            let frame = WireSamples.frame(message)
            #expect(try AgentMessage(frame: frame, own: WireSamples.own) == message)
        }
    }

    @Test("The examples on the page about the format are what is written")
    func examples() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Docs/formats/agent.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let written =
            WireSamples.clientExamples.map { ($0.frame, WireSamples.frame($0.message)) }
            + WireSamples.agentExamples.map { ($0.frame, WireSamples.frame($0.message)) }
        for (example, frame) in written {
            #expect(frame.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == example)
            #expect(text.contains("| `\(example)` |"))
        }
    }

    @Test("A client's own ids are written as those of client 0, others' as they are")
    func substitution() throws {
        let message = ClientMessage.event(.requested(WireSamples.requests[3]))
        let seen = try ClientMessage(frame: WireSamples.frame(message))
        guard case .event(.requested(let request)) = seen else {
            Issue.record("\(seen)")
            return
        }
        #expect(request.id == AccessID(client: ClientID(0), number: 7))
        #expect(request.purpose == .coordinator(WireSamples.other, 9))
    }

    @Test("In version 1 nothing is said of registrations, and the rest is the same")
    func firstVersion() throws {
        let (own, presenter, note) = (WireSamples.own, WireSamples.presenter, WireSamples.note)
        let latest = ClientMessage.event(
            .presenterAdded(presenter, at: note, typeName: "N", WireSamples.registration)
        )
        let first = ClientMessage.event(.presenterAdded(presenter, at: note, typeName: "N"))
        var writer = WireWriter(own: own, version: 1)
        latest.write(to: &writer)
        let frame = Array(writer.bytes.dropFirst(WireFrame.headByteCount))
        #expect(try ClientMessage(frame: frame, own: own, version: 1) == first)
        #expect(throws: WireError.cutOff) { try ClientMessage(frame: frame, own: own) }
        for message in WireSamples.agentMessages {
            var writer = WireWriter(own: own, version: 1)
            message.write(to: &writer)
            let frame = Array(writer.bytes.dropFirst(WireFrame.headByteCount))
            let seen = try AgentMessage(frame: frame, own: own, version: 1)
            guard case .failed(_, .presenterTimedOut(let party, _)) = seen else {
                #expect(seen == message)
                continue
            }
            #expect(party.typeName == "Note" && party.place == nil)
        }
    }

    @Test(
        "Of a place that is too long the end is kept, whole characters of it, by who sends and by who reads"
    )
    func longPlace() throws {
        let limit = PresenterRegistration.placeByteCountMax
        let longest = String(repeating: "p", count: limit - 3) + ":12"
        #expect(PresenterRegistration(place: longest, milliseconds: 0).place == longest)
        for filler in ["x", "ü", "語", "🧭"] {
            for shift in 0..<4 {
                let long =
                    String(repeating: filler, count: limit) + String(repeating: "y", count: shift)
                    + "/Note.swift:12"
                let place = try #require(PresenterRegistration(place: long, milliseconds: 0).place)
                #expect(place.utf8.count <= limit && place.utf8.count > limit - 4)
                #expect(place.hasPrefix("…\(filler)") && place.hasSuffix("/Note.swift:12"))
                #expect(long.hasSuffix(place.dropFirst()))
            }
        }
        // What another program sends in full, a reader cuts.
        let message = ClientMessage.event(
            .presenterAdded(WireSamples.presenter, at: nil, typeName: "", WireSamples.registration)
        )
        let frame = WireSamples.frame(message)
        let place = Array("App/Note.swift:12".utf8)
        let start = try #require(frame.indices.first { frame[$0...].starts(with: place) })
        let long = [UInt8](repeating: 0x78, count: 300) + place
        let forged = frame[..<(start - 1)] + [0xBD, 0x02] + long + frame[(start + place.count)...]
        let seen = try ClientMessage(frame: Array(forged), own: WireSamples.own)
        guard case .event(.presenterAdded(_, _, _, let registration)) = seen else {
            Issue.record("\(seen)")
            return
        }
        #expect(registration?.place?.utf8.count == limit)
        #expect(registration?.place?.hasSuffix("xApp/Note.swift:12") == true)
    }

    @Test("A message that is cut off anywhere, or goes on, is an error")
    func truncation() {
        for message in WireSamples.clientMessages {
            let frame = WireSamples.frame(message)
            for count in 0..<frame.count {
                #expect(throws: WireError.self) { try ClientMessage(frame: Array(frame[..<count])) }
            }
            #expect(throws: WireError.trailingBytes) { try ClientMessage(frame: frame + [0]) }
        }
        for message in WireSamples.agentMessages {
            let frame = WireSamples.frame(message)
            for count in 0..<frame.count {
                #expect(throws: WireError.self) { try AgentMessage(frame: Array(frame[..<count])) }
            }
            #expect(throws: WireError.trailingBytes) { try AgentMessage(frame: frame + [0]) }
        }
    }

    @Test("Numbers of more than 64 bits, texts that are not UTF-8 and paths that are none are errors")
    func values() {
        #expect(throws: WireError.numberTooLarge) {
            try ClientMessage(frame: [2] + [UInt8](repeating: 0xFF, count: 9) + [2])
        }
        #expect(throws: WireError.numberTooLarge) {
            try ClientMessage(frame: [2] + [UInt8](repeating: 0xFF, count: 10))
        }
        // A presenter of client 0 that presents a text of one byte.
        #expect(throws: WireError.notText) { try ClientMessage(frame: [16 + 5, 0, 1, 1, 1, 0xFF]) }
        #expect(throws: WireError.notAPath) { try ClientMessage(frame: [16 + 5, 0, 1, 1, 1, 0x61]) }
        #expect(throws: WireError.unknownValue) { try ClientMessage(frame: [200]) }
    }

    @Test("Frames come out whole, however they are cut; one of a wrong length ends it")
    func frames() throws {
        var writer = WireWriter(own: WireSamples.own)
        for message in WireSamples.clientMessages { message.write(to: &writer) }
        for size in [1, 2, 3, 7, 64, writer.bytes.count] {
            var buffer = FrameBuffer()
            var messages: [ClientMessage] = []
            for start in stride(from: 0, to: writer.bytes.count, by: size) {
                let part = writer.bytes[start..<min(start + size, writer.bytes.count)]
                part.withUnsafeBytes { buffer.append($0) }
                while let frame = try buffer.next() {
                    messages.append(try ClientMessage(frame: frame, own: WireSamples.own))
                }
            }
            #expect(messages == WireSamples.clientMessages, "cut into \(size)")
        }
        for head: [UInt8] in [[0, 0, 0, 0], [1, 0, 16, 0], [255, 255, 255, 255]] {
            var buffer = FrameBuffer()
            head.withUnsafeBytes { buffer.append($0) }
            #expect(throws: WireError.frameTooLong) { try buffer.next() }
        }
    }

    @Test("A stream whose pieces never end where a frame ends takes no more room the longer it is")
    func endlessStream() throws {
        var writer = WireWriter()
        ClientMessage.quietWanted(1, [WireSamples.path("/" + String(repeating: "x", count: 995))])
            .write(to: &writer)
        let (frame, cut) = (writer.bytes, 300)
        var buffer = FrameBuffer()
        frame[..<cut].withUnsafeBytes { buffer.append($0) }
        var (frameCount, largestByteCount) = (0, 0)
        for _ in 0..<5000 {
            (Array(frame[cut...]) + frame[..<cut]).withUnsafeBytes { buffer.append($0) }
            while let found = try buffer.next() {
                if found == Array(frame[WireFrame.headByteCount...]) { frameCount += 1 }
            }
            largestByteCount = max(largestByteCount, buffer.byteCount)
        }
        #expect(frameCount == 5000)
        #expect(largestByteCount < 100_000)
    }

    @Test("What is longer than a frame is not written")
    func tooLong() {
        let claims = (0..<20_000).map { number in
            AccessClaim(
                WireSamples.path("/\(String(repeating: "x", count: 60))\(number)"),
                use: .writing(.updating)
            )
        }
        let request = AccessRequest(id: WireSamples.access, purpose: .named("p"), claims: claims)
        var writer = WireWriter()
        #expect(!ClientMessage.event(.requested(request)).write(to: &writer))
        #expect(writer.bytes.isEmpty)
        #expect(ClientMessage.caughtUp.write(to: &writer))
    }

    /// `WIRE_COUNT` says how many, else 150,000; a million take ten seconds in a debug build.
    @Test("Any bytes end in a message or an error: mutations by seed")
    func fuzz() {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["WIRE_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let frames =
            WireSamples.clientMessages.map { WireSamples.frame($0) }
            + WireSamples.agentMessages.map { WireSamples.frame($0) }
        var readable = 0
        let count = environment["WIRE_COUNT"].flatMap(Int.init) ?? 150_000
        for _ in 0..<(count / 2) {
            let frame = mutation(of: frames[random.below(frames.count)], &random)
            if (try? ClientMessage(frame: frame, own: WireSamples.own)) != nil { readable += 1 }
            if (try? AgentMessage(frame: frame, own: WireSamples.own)) != nil { readable += 1 }
        }
        print("wire: \(count) inputs, \(readable) of them messages, WIRE_SEED=\(seed)")
        #expect(readable > 0 && readable < count)
    }

    private func mutation(of frame: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var frame = frame
        switch random.below(6) {
        case 0: frame[random.below(frame.count)] = UInt8(random.below(256))
        case 1: frame[random.below(frame.count)] ^= 1 << UInt8(random.below(8))
        case 2: frame.removeLast(random.below(frame.count))
        case 3: frame.insert(UInt8(random.below(256)), at: random.below(frame.count + 1))
        case 4: frame.remove(at: random.below(frame.count))
        default: frame = [frame[0]] + (0..<random.below(24)).map { _ in UInt8(random.below(256)) }
        }
        return frame
    }
}
