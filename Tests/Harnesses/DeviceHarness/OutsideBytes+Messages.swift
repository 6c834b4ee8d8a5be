internal import Cryptography
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync

extension OutsideBytes {
    // MARK: Pairing

    /// Both sides of a pairing, in every state, hear what nobody has said.
    static func pairing() throws -> [Parser] {
        let made = try SealedSamples()
        let code = try PairingCode(pairing: "ABCDEFGH", random: made.random)
        let identity = made.pad.publicIdentity(named: "pad")
        var first = try FirstPairing(code, random: made.random)
        var second = try SecondPairing(code, as: identity, random: made.random)
        let gift = PairingGift(made.keys, invitation: "INVITATION", list: made.list.mark)
        var (firsts, seconds, said): ([FirstPairing], [SecondPairing], [[UInt8]]) = ([first], [second], [])
        func send(_ actions: [PairingAction]) {
            for case .send(let message) in actions { said.append(message) }
        }
        func last() throws -> PairingEvent {
            guard let message = said.last else { throw Complaint(description: "nothing was said") }
            return .message(message)
        }
        send(try second.begin())
        send(try first.handle(try last()))
        firsts.append(first)
        send(try second.handle(try last()))
        seconds.append(second)
        send(try first.handle(try last()))
        firsts.append(first)
        _ = try first.handle(.same)
        firsts.append(first)
        send(try second.handle(.same))
        seconds.append(second)
        _ = try first.handle(try last())
        firsts.append(first)
        send(try first.give(gift))
        firsts.append(first)
        _ = try second.handle(try last())
        seconds.append(second)
        send(try second.received())
        try expect(try first.handle(try last()) == [.finished], "a pairing comes to its end")
        return [
            Parser(name: "message of a pairing", samples: said) { [firsts, seconds, said] bytes in
                let isSaid = said.contains(bytes)
                var actions: [PairingAction] = []
                for side in firsts {
                    var side = side
                    actions += try side.handle(.message(bytes))
                }
                for side in seconds {
                    var side = side
                    actions += try side.handle(.message(bytes))
                }
                for action in actions {
                    switch action {
                    case .add, .keep, .finished: try expect(isSaid, "an altered message lets somebody in")
                    case .send, .show, .ended: break
                    }
                }
                return isSaid
            }
        ]
    }

    // MARK: What devices and hubs say

    /// However it is read, it says the same, and so it does once it is written again.
    private static func message<Message: Codable & Equatable>(
        _ name: String,
        _ samples: [Message]
    ) throws -> Parser {
        Parser(name: name, samples: try samples.map { [UInt8](try HubMessage.encoded($0)) }) { bytes in
            let data = Data(bytes)
            let message: Message
            do { message = try HubMessage.decoded(Message.self, from: data) } catch is DecodingError {
                return false
            }
            let again = try HubMessage.decoded(Message.self, from: try HubMessage.encoded(message))
            try expect(again == message, "written and read again it is another: \(message), \(again)")
            do {
                let plain = try JSONDecoder().decode(Message.self, from: data)
                try expect(plain == message, "it is read in two ways: \(message), \(plain)")
            } catch let error as DecodingError {
                throw Complaint(description: "it is no JSON, and is read as \(message): \(error)")
            }
            return true
        }
    }

    static func messages() throws -> [Parser] {
        let made = try SealedSamples()
        let offered = made.entries.map {
            OfferedCommit(item: $0.item, base: $0.base, id: $0.id, record: $0.record)
        }
        let device = DeviceName(unchecked: [UInt8](repeating: 2, count: DeviceName.byteCount))
        let names = [BlobName(unchecked: (0..<BlobName.byteCount).map { UInt8($0) })]
        return [
            try message("commits", [CommitOffer(offered), CommitOffer([])]),
            try message(
                "answers",
                [CommitAnswers([.accepted(3), .refused(0), .accepted(.max)], head: made.head)]
            ),
            try message("page", [LogPage(made.entries, head: made.head)]),
            try message("blob names", [BlobNames(names)]),
            try message("missing blobs", [MissingBlobs(names)]),
            try message("credentials", [DeviceCredentials(device: device, token: "token")]),
            try message(
                "pairing",
                [
                    PairingMessages([
                        NumberedPairingMessage(number: 1, from: .first, message: Data([1, 2, 3]))
                    ])
                ]
            ),
            try message("failure", [HubFailure(.quota, "No room.")]),
        ]
    }

    // MARK: Contents

    static func contents() throws -> [Parser] {
        let blobs = [[], [1], [UInt8](repeating: 9, count: 200)]
        var body = Data()
        for blob in blobs {
            let byte = UInt8(blob.count)
            BlobFrames.append(
                BlobName(unchecked: Array(repeating: byte, count: BlobName.byteCount)),
                blob,
                to: &body
            )
        }
        return [
            Parser(name: "frames", samples: [[UInt8](body)]) { bytes in
                let frames: [(name: BlobName, blob: Data)]
                do { frames = try BlobFrames.read(Data(bytes)) } catch is BlobFrameError { return false }
                var again = Data()
                for frame in frames { BlobFrames.append(frame.name, frame.blob, to: &again) }
                try expect([UInt8](again) == bytes, "what was read is written otherwise")
                // As a part of something longer, as where it comes in pieces.
                let part = (Data([0, 0, 0]) + Data(bytes)).dropFirst(3)
                try expect(try BlobFrames.read(part).count == frames.count, "it depends on where it begins")
                return true
            }
        ]
    }
}
