import CrashHarness
import Foundation
import TestThreads
import Testing
import Threads

@testable import FileSystem

@Suite("MountChanges", .onOwnThreads)
struct MountChangesTests {
    @Test("What is mounted and unmounted is told to all who want to know, with its place")
    func told() async throws {
        let changes = MountChanges()
        let (stream, continuation) = AsyncStream.makeStream(of: [FilePath].self)
        let (other, otherContinuation) = AsyncStream.makeStream(of: [FilePath].self)
        let watches = [continuation, otherContinuation].map { continuation in
            changes.follow { continuation.yield($0) }
        }
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: "ext4") } catch let error as LoopVolume.Unavailable {
            print("not run: \(error)")
            return
        }
        let place = try volume.folder.resolved()
        for stream in [stream, other] {
            for await places in stream where places.contains(place) { break }
        }
        volume.unmount()
        for stream in [stream, other] {
            for await places in stream where places.contains(place) { break }
        }
        withExtendedLifetime(watches) {}
    }

    @Test("Where there was no thread that follows, whoever wants to know next tries anew")
    func withoutThread() {
        let changes = MountChanges()
        let first = OwnThread.$make.withValue({ _, _ in EAGAIN }) { changes.follow { _ in } }
        #expect(!changes.isFollowing)
        let second = changes.follow { _ in }
        #expect(changes.isFollowing)
        withExtendedLifetime((first, second)) {}
    }
}
