import Cryptography
import DeviceSync
import Dispatch
import FileSystem
import Foundation
import HubProtocol
import Sealing
import SyncMessages

/// Two devices in this process and a hub in another, over the loopback, all durable and sealed.
@MainActor
enum SyncBenchmark {
    private static let fileCount = 10_000
    private static let fileByteCount = 4096
    private static let saveCount = 100
    private static let peer = "cp -a of the same folder, and a sync of the volume"

    static func run(in work: WorkFolder) throws -> [Figure] {
        try HubBenchmark.withHub(work, "sync") { hub in
            let one = try Device("one", in: work, hub)
            let keys = try Founding.found(
                HubBenchmark.container,
                by: one.identity,
                named: "one",
                at: one.hub()
            )
            let two = try Device("two", in: work, hub)
            try Founding.add(
                two.identity.publicIdentity(named: "two"),
                to: keys,
                by: one.identity,
                at: one.hub()
            )
            var figures = try firstSync(one, two, keys, work, hub.process)
            figures += try saves(one, two)
            figures.append(try rename(one, two))
            figures.append(try restart(two, keys))
            one.stop()
            two.stop()
            return figures
        }
    }

    // MARK: Figures

    private static func firstSync(
        _ one: Device,
        _ two: Device,
        _ keys: ContainerKeys,
        _ work: WorkFolder,
        _ hub: OtherProcess
    ) throws -> [Figure] {
        let many = one.folder.appendingPathComponent("many")
        try FileManager.default.createDirectory(at: many, withIntermediateDirectories: true)
        for number in 0..<fileCount {
            try WorkFolder.makeFile(
                many.path + "/\(number).txt",
                WorkFolder.bytes(fileByteCount, seed: number)
            )
        }
        var its = Samples()
        its.add(
            try seconds {
                let copy = Process()
                copy.executableURL = URL(fileURLWithPath: "/bin/sh")
                copy.arguments = ["-c", "cp -a \"$0\" \"$1\" && sync", many.path, work.item("copy").path]
                try copy.run()
                copy.waitUntilExit()
            }
        )
        var (samples, processor) = (Samples(), Samples())
        let before = try ownProcessorSeconds() + hub.processorSeconds()
        samples.add(
            try seconds {
                try one.start(keys)
                try two.start(keys)
                // To list ten thousand names again and again would cost a core.
                try wait(every: 5_000) { two.itemCount > fileCount && one.isInStep && two.isInStep }
            }
        )
        processor.add(try ownProcessorSeconds() + hub.processorSeconds() - before)
        let target = two.folder.appendingPathComponent("many").path
        guard try FileManager.default.contentsOfDirectory(atPath: target).count == fileCount else {
            throw BenchmarkFailure("not all files have come")
        }
        return [
            Figure(
                "sync-first",
                "first sync of 10,000 files of 4 KB, device to hub to device",
                samples,
                .milliseconds,
                beside: peer,
                its,
                goal: .valueAtMost(2500)
            ),
            Figure(
                "sync-first-processor",
                "the same: processor time of both devices and the hub",
                processor,
                .seconds,
                goal: .valueAtMost(4)
            ),
        ]
    }

    private static func ownProcessorSeconds() throws -> Double {
        var usage = rusage()
        guard getrusage(CInt(RUSAGE_SELF.rawValue), &usage) == 0 else {
            throw BenchmarkFailure.call("getrusage", "self")
        }
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
    }

    private static func saves(_ one: Device, _ two: Device) throws -> [Figure] {
        let (source, target) = (
            one.folder.appendingPathComponent("a.txt"), two.folder.appendingPathComponent("a.txt")
        )
        var samples = Samples()
        for number in 0..<saveCount {
            let text = Data("text \(number)".utf8)
            samples.add(
                try seconds {
                    try text.write(to: source, options: .atomic)
                    try wait { (try? Data(contentsOf: target)) == text }
                }
            )
            try wait { one.isInStep && two.isInStep }
        }
        var slow = Samples()
        slow.add(samples.quantile(0.99))
        return [
            Figure(
                "sync-save",
                "a save on one device to the file in place on the other",
                samples,
                .milliseconds,
                goal: .valueAtMost(30)
            ),
            Figure(
                "sync-save-p99",
                "the same, the slowest of a hundred",
                slow,
                .milliseconds,
                goal: .valueAtMost(150)
            ),
        ]
    }

    private static func rename(_ one: Device, _ two: Device) throws -> Figure {
        var samples = Samples()
        for name in ["moved", "moved again", "many"] {
            let present = try FileManager.default.contentsOfDirectory(atPath: one.folder.path)
            let former = present.first { $0 != "a.txt" && !$0.hasPrefix(".") } ?? "many"
            samples.add(
                try seconds {
                    try FileManager.default.moveItem(
                        at: one.folder.appendingPathComponent(former),
                        to: one.folder.appendingPathComponent(name)
                    )
                    let target = two.folder.appendingPathComponent(name).path
                    try wait { FileManager.default.fileExists(atPath: target) }
                }
            )
            try wait { one.isInStep && two.isInStep }
        }
        return Figure(
            "sync-rename",
            "the rename of a folder of 10,000 files, on the other device",
            samples,
            .milliseconds,
            goal: .valueAtMost(50)
        )
    }

    private static func restart(_ two: Device, _ keys: ContainerKeys) throws -> Figure {
        var samples = Samples()
        for _ in 0..<5 {
            two.stop()
            samples.add(
                try seconds {
                    try two.start(keys)
                    try wait { two.isInStep }
                }
            )
        }
        return Figure(
            "sync-restart",
            "a start with 10,000 items, nothing changed, to in step",
            samples,
            .milliseconds,
            goal: .valueAtMost(60)
        )
    }

    /// Looks again and again: nothing tells when a file is in place.
    private static func wait(every microseconds: Int = 200, _ condition: () throws -> Bool) throws {
        let end = now() + 120
        let pause = DispatchSemaphore(value: 0)
        while try !condition() {
            guard now() < end else { throw BenchmarkFailure("the devices do not come to the same") }
            _ = pause.wait(timeout: .now() + .microseconds(microseconds))
        }
    }

    // MARK: Devices

    private final class Device {
        let folder: URL
        let identity: DeviceIdentity
        private let memory: URL
        private let scene: HubBenchmark.Scene
        private var sync: ContainerSync?

        init(_ name: String, in work: WorkFolder, _ scene: HubBenchmark.Scene) throws {
            (folder, memory, self.scene) = (work.item(name), work.item("memory \(name)"), scene)
            for place in [folder, memory] {
                try FileManager.default.createDirectory(
                    at: place,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            identity = try DeviceIdentity(random: RandomBytes.make)
        }

        func hub() throws -> HubContainer {
            guard let address = URL(string: "http://127.0.0.1:\(scene.port)") else {
                throw BenchmarkFailure("the hub has no address")
            }
            return HubContainer(HubBenchmark.container, at: try HubClient(address, token: scene.token))
        }

        func start(_ keys: ContainerKeys) throws {
            let made = try ContainerSync(
                ContainerSync.Place(
                    folder: FilePath(folder.path),
                    memory: FilePath(memory.path),
                    deviceName: "bench"
                ),
                keys: KeyRing(keys) { _ in },
                by: identity,
                hub: try hub(),
                merger: TypeMerger(),
                report: { _ in }
            )
            try made.start()
            sync = made
        }

        func stop() {
            sync?.stop()
            sync = nil
        }

        var itemCount: Int { sync?.status.itemCount ?? 0 }

        var isInStep: Bool { sync?.status.isSettled ?? false }
    }
}
