internal import StandardStreams

/// Who shares the folders that are kept in step, for the commands about it.
package struct SharingRole: Sendable {
    /// A device that shares a folder, or has shared it.
    package struct Device: Codable, Hashable, Sendable {
        package var id: String
        package var name: String
        /// When it was registered, by the hub's word, as ISO 8601 has it; nil for a key on paper.
        package var since: String?
        package var isThis: Bool
        package var isPaper: Bool
        package var isRevoked: Bool
        /// Which device has shut it out.
        package var revokedBy: String?
        /// Which device has let it in; nil for the first one, and where that is not known.
        package var letInBy: String?
        package var letInByID: String?

        package init(
            id: String,
            name: String,
            since: String?,
            isThis: Bool = false,
            isPaper: Bool = false,
            isRevoked: Bool = false,
            revokedBy: String? = nil,
            letInBy: String? = nil,
            letInByID: String? = nil
        ) {
            (self.id, self.name, self.since, self.isThis) = (id, name, since, isThis)
            (self.isPaper, self.isRevoked, self.revokedBy) = (isPaper, isRevoked, revokedBy)
            (self.letInBy, self.letInByID) = (letInBy, letInByID)
        }

        /// Whether it is so called, or its identifier begins so.
        func isMeant(by text: String) -> Bool {
            name == text || (text.count >= 4 && id.hasPrefix(text.lowercased()))
        }
    }

    /// What a person says to a question.
    package enum Answer: Hashable, Sendable {
        case yes, no
        /// There is nobody who would say anything.
        case unanswered
    }

    /// Shows what is to be written down, group by group.
    package typealias ShowingKey = (_ groups: [String]) throws -> Void

    let devices: @Sendable (_ folder: String) throws -> [Device]
    let revoke: @Sendable (_ folder: String, Device) throws -> String
    let letIn: @Sendable (_ folder: String, Device) throws -> [Device]
    let leave: @Sendable (_ folder: String) throws -> Void
    let forget: @Sendable (_ folder: String, _ isMeant: (Device) throws -> Bool) throws -> Void
    let makeRecoveryKey: @Sendable (_ folder: String, _ replacesFormer: Bool, ShowingKey) throws -> Void
    let checkRecoveryKey: @Sendable (_ folder: String, Console) throws -> Void
    let ask: @Sendable (_ question: String, Console) -> Answer

    /// - Parameters:
    ///   - devices: All devices of a folder, those that were shut out last.
    ///   - revoke: Shuts another device out, also one that was before; gives what to say of it.
    ///   - letIn: What another device has let in, and that in turn, and shares the folder still; without this device and what
    ///     it has let in.
    ///   - leave: Shuts this device out, or goes on with it where it was cut off.
    ///   - forget: Leaves without the hub, if it is this device that is meant.
    ///   - makeRecoveryKey: Shows a new one before former ones are shut out; an error after that is about those.
    ///   - checkRecoveryKey: Asks for one, and returns when it is right.
    ///   - ask: Asks a person something, until he says yes or no.
    package init(
        devices: @escaping @Sendable (_ folder: String) throws -> [Device],
        revoke: @escaping @Sendable (_ folder: String, Device) throws -> String,
        letIn: @escaping @Sendable (_ folder: String, Device) throws -> [Device],
        leave: @escaping @Sendable (_ folder: String) throws -> Void,
        forget: @escaping @Sendable (_ folder: String, _ isMeant: (Device) throws -> Bool) throws -> Void,
        makeRecoveryKey:
            @escaping @Sendable (_ folder: String, _ replacesFormer: Bool, ShowingKey) throws -> Void,
        checkRecoveryKey: @escaping @Sendable (_ folder: String, Console) throws -> Void,
        ask: @escaping @Sendable (_ question: String, Console) -> Answer
    ) {
        (self.devices, self.revoke, self.letIn) = (devices, revoke, letIn)
        (self.leave, self.forget) = (leave, forget)
        (self.makeRecoveryKey, self.checkRecoveryKey, self.ask) = (makeRecoveryKey, checkRecoveryKey, ask)
    }

    static func required(_ role: SharingRole?) throws -> SharingRole {
        guard let role else { throw ReportError(description: "this program keeps nothing in step") }
        return role
    }

    /// The device that is meant by its name, or by the first digits of its identifier: one that was shut out when no other is.
    func device(_ text: String, of folder: String) throws -> Device {
        let all = try devices(folder)
        let named = all.filter { $0.isMeant(by: text) }
        let present = named.filter { !$0.isRevoked }
        let meant = present.isEmpty ? named : present
        guard let first = meant.first else {
            let command = "sheaf devices \(folder.shellWord)"
            throw ReportError(description: "no device “\(text)” shares the folder; see \(command)")
        }
        guard meant.count == 1 else {
            let ids = meant.map(\.id).joined(separator: ", ")
            throw ReportError(description: "“\(text)” may be any of \(ids). Give the first digits of one.")
        }
        return first
    }
}
