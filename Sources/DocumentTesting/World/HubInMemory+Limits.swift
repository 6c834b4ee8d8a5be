internal import Foundation
internal import HubProtocol

// What a hub refuses for its size: the same as one of users' own.
extension HubInMemory {
    private static func tooLarge(_ message: String) -> HubFailure { HubFailure(.tooLarge, message) }

    static func check(_ names: [BlobName]) throws {
        guard names.count <= HubLimits.blobNameCountMax else {
            throw tooLarge("A request has \(HubLimits.blobNameCountMax) names at most.")
        }
    }

    static func check(_ commits: [OfferedCommit]) throws {
        guard commits.count <= HubLimits.commitCountMax else {
            throw tooLarge("A request has \(HubLimits.commitCountMax) commits at most.")
        }
        for commit in commits where commit.record.count > HubLimits.recordByteCountMax {
            throw tooLarge("A record has \(HubLimits.recordByteCountMax) bytes at most.")
        }
    }

    static func check(_ keys: HubProtocol.WrappedKeys) throws {
        guard keys.keys.count <= HubLimits.wrappedKeyByteCountMax else {
            throw tooLarge("Wrapped keys have \(HubLimits.wrappedKeyByteCountMax) bytes at most.")
        }
    }

    /// The blobs of a message.
    static func blobs(in frames: Data) throws -> [(name: BlobName, blob: Data)] {
        guard frames.count <= HubLimits.framesByteCountMax else {
            throw tooLarge("A request has \(HubLimits.framesByteCountMax) bytes of frames at most.")
        }
        let blobs = try BlobFrames.read(frames)
        guard blobs.count <= HubLimits.blobNameCountMax else { throw tooLarge("\(BlobFrameError.tooMany)") }
        return blobs
    }
}
