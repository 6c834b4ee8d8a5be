internal import Commands
internal import DeviceSync
internal import LocalSockets
internal import SyncMessages

/// What people say of large changes on this machine.
enum LiveBrake {
    /// The limits with what somebody has said of them.
    static func limits(_ known: BrakeLimits?, with change: BrakeLimit) -> BrakeLimits {
        var limits = known ?? BrakeLimits()
        switch change.share {
        case .off: limits.isOff = true
        case .percent(let percent): (limits.isOff, limits.sharePercent) = (false, percent)
        case nil: limits.isOff = false
        }
        if let countMin = change.countMin { limits.countMin = countMin }
        return limits
    }

    static func told(_ limits: BrakeLimits) -> SyncRole.Folder.BrakeLimits {
        SyncRole.Folder.BrakeLimits(
            isOff: limits.isOff,
            sharePercent: limits.sharePercent,
            countMin: limits.countMin
        )
    }

    /// Keeps it, and tells the process that keeps the folder in step, if there is one.
    static func limit(_ folder: String, _ change: BrakeLimit, in runtime: RuntimeFolder) throws -> String {
        let home = try DeviceHome(environment: LiveSync.environment)
        let settings = try LiveSync.joined(folder, in: home).settings
        let limits = limits(settings.brake, with: change)
        try home.limit(settings.container, limits)
        do {
            try SyncQuery.perform(.limit(folder: settings.folder, limits), in: runtime)
        } catch let error as SyncServiceError where error.isNobodyListening {
            // Who starts reads it before it answers anybody.
        }
        return "“\(settings.folder)”: \(told(limits).text)."
    }

    static func goBack(_ folder: String, in runtime: RuntimeFolder) throws -> SyncRole.WayBack {
        let back = try SyncQuery.goBack(folder, in: runtime)
        return SyncRole.WayBack(
            itemCount: back.itemCount,
            restorePoint: back.restorePoint,
            newer: back.newer,
            lost: back.lost
        )
    }
}
