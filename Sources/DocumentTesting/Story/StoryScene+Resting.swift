internal import DeviceSync
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import SyncMessages

// What is said of items at rest, where nothing is wrong with any device.
extension StoryScene {
    /// What comes late, as the last that the system tells of a name, is looked at in so many seconds; what is stuck is tried again only
    /// later.
    private static let lateSeconds = 3.0

    /// What is not said to be in step on a device at rest, and does not come to be so by itself.
    func whatStaysOutOfStep(
        on device: WorldDevice,
        conflicts: Set<String>,
        left: Set<String>
    ) async -> [StoryFault] {
        let end = Date().addingTimeInterval(Self.lateSeconds)
        while true {
            let faults = whatIsNotInStep(on: device, conflicts: conflicts, left: left)
            guard !faults.isEmpty, Date() < end else { return faults }
            await pass(2)
        }
    }

    /// What is not said to be in step on a device at rest with which nothing is wrong: of all that is in its folder, the hub being
    /// asked, and of all that it knows.
    ///
    /// - Parameters:
    ///   - conflicts: The paths of what has lost conflicts there that nobody has settled.
    ///   - left: The paths of items whose contents have left.
    func whatIsNotInStep(
        on device: WorldDevice,
        conflicts: Set<String>,
        left: Set<String> = []
    ) -> [StoryFault] {
        guard let running = device.running, let status = device.status else {
            return [StoryFault(.explain, "nobody explains anything on \(device.name)")]
        }
        let paths = Self.paths(in: device)
        var faults = StoryJudge.faults(in: status, on: device.name).map { [$0] } ?? []
        faults += paths.flatMap { path -> [StoryFault] in
            guard let state = running.item(path) else {
                return [StoryFault(.explain, "nobody knows of “\(path)” on \(device.name)")]
            }
            let hasLeft = left.contains(path)
            // Of what has left no version is looked at.
            let isInConflict = hasLeft ? state.hasConflicts : conflicts.contains(path)
            let faults = StoryJudge.faultAtRest(
                in: running.explain(path),
                of: state,
                isInConflict: isInConflict,
                hasLeft: hasLeft,
                on: device.name
            )
            return faults.map { [$0] } ?? []
        }
        let folder = device.place.folder.string + "/"
        let known = Set(running.standings(below: "").map { String($0.state.path.dropFirst(folder.count)) })
        faults += known.subtracting(paths).sorted().map { path in
            StoryFault(.explain, "\(device.name) knows of “\(path)” in its folder, and nothing is there")
        }
        return faults
    }
}
