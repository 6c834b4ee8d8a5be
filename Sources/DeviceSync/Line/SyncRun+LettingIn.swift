internal import Sealing
internal import Sync

// Whoever has one device can let in others by it: so each device says when that is done.
extension SyncRun {
    /// Says who has let in whom, of what stands in the log behind this device's own coming: what was there before is nothing
    /// new to whoever let this one in.
    func tellLetIn(_ heard: [LogDesk.Heard]) {
        let statements = heard.filter { $0.statement != nil }
        guard !statements.isEmpty else { return }
        let members = desk.devices.members
        guard let own = members[desk.identity.id] else { return }
        for heard in statements where heard.entry.position > own.addedAt {
            // Who reads the log has opened and checked it before.
            guard let bytes = heard.statement, let statement = try? DeviceStatement(encoded: bytes),
                case .added(let device) = statement.change,
                let author = members[statement.author]
            else { continue }
            report(
                .letIn(
                    device: device.name,
                    by: author.identity.name,
                    isByThis: statement.author == desk.identity.id
                )
            )
        }
    }
}
