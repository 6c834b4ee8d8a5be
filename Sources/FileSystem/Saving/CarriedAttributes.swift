internal import Foundation

/// What a new item takes over from the one whose place it takes: permissions, owner, access list, extended
/// attributes.
struct CarriedAttributes {
    let status: FileStatus
    private let extended: [String: Data]

    private static let accessListNames = [AccessList.attributeName, AccessList.defaultAttributeName]

    /// Whether an attribute belongs to the document rather than to the bytes it had.
    ///
    /// A capability or an
    /// integrity hash is about the bytes.
    private static func isCarried(_ name: String) -> Bool {
        name.hasPrefix("user.") || accessListNames.contains(name) || name == "security.selinux"
    }

    /// Reads them; nil when nothing bears the name.
    init?(of name: String, in folder: Folder) throws(SystemError) {
        guard let status = try SystemCalls.statusIfPresent(folder, name) else { return nil }
        self.status = status
        guard status.stamp.kind == .regular || status.stamp.kind == .directory else {
            extended = [:]
            return
        }
        let place = folder.place(of: name)
        var values: [String: Data] = [:]
        for name in try SystemCalls.llistxattr(place) where Self.isCarried(name) {
            values[name] = try SystemCalls.lgetxattr(place, name)
        }
        extended = values
    }

    private init(_ status: FileStatus, _ extended: [String: Data]) {
        (self.status, self.extended) = (status, extended)
    }

    /// What is not the user's to set by name: permissions, owner, access list, label.
    var withoutUserAttributes: CarriedAttributes {
        CarriedAttributes(status, extended.filter { !$0.key.hasPrefix("user.") })
    }

    /// The same for an item of another group, which is to get no more than everybody has: it was never let in.
    private var forAnotherGroup: CarriedAttributes {
        var (status, extended) = (status, extended)
        if var list = extended[AccessList.attributeName].flatMap({ AccessList($0) }), list.hasMask {
            // The group's bits stay: they bound what the list gives to others, who keep it.
            list.lowerOwnGroup()
            extended[AccessList.attributeName] = list.value
        } else {
            let everybody = status.stamp.permissions & 0o007
            status.stamp.permissions &= ~0o070 | (everybody << 3)
        }
        let made = AccessList.defaultAttributeName
        if var list = extended[made].flatMap({ AccessList($0) }) {
            list.lowerOwnGroup()
            extended[made] = list.value
        }
        return CarriedAttributes(status, extended)
    }

    /// Gives an item what it carries and what was asked for, which goes before.
    ///
    /// Where the item cannot be given the group that the old one had, its group may do no more than everybody may, unless
    /// that was asked for.
    ///
    /// - Parameters:
    ///   - file: The new item, open.
    ///   - carried: From the old one; nil when there was none.
    ///   - attributes: What was asked for.
    static func dress(
        _ file: borrowing FileDescriptor,
        as carried: CarriedAttributes?,
        with attributes: MemberAttributes
    ) throws(SystemError) {
        if let carried {
            try carried.apply(to: file, permissions: attributes.permissions)
        } else if let permissions = attributes.permissions {
            try SystemCalls.fchmod(file, permissions & 0o7777)
        }
        guard let time = attributes.time else { return }
        try SystemCalls.futimens(file, seconds: time.seconds, nanoseconds: time.nanoseconds)
    }

    private func apply(to file: borrowing FileDescriptor, permissions: UInt32?) throws(SystemError) {
        let own = try SystemCalls.fstat(file)
        guard own.stamp.kind == status.stamp.kind else {
            if let permissions { try SystemCalls.fchmod(file, permissions & 0o7777) }
            return
        }
        let kept = try keepOwner(of: file, now: own)
        let carried = kept == .nothing ? forAnotherGroup : self
        // To what may not be written to nobody gives attributes, not even its owner.
        let isUnlocked = !extended.isEmpty && own.stamp.permissions & UInt32(S_IWUSR) == 0
        if isUnlocked {
            try SystemCalls.fchmod(file, own.stamp.permissions & 0o7777 | UInt32(S_IWUSR))
        }
        let changesAccessList = try carried.applyExtended(to: file)
        let wanted = (permissions ?? carried.status.stamp.permissions) & allowedPermissions(kept)
        let isTouched =
            own.owner != status.owner || own.group != status.group || changesAccessList || isUnlocked
        if isTouched || own.stamp.permissions != wanted { try SystemCalls.fchmod(file, wanted) }
    }

    /// Set-user-ID of somebody else's file must not become ours. Of a folder set-group-ID says who shares what is made in it: it
    /// stays with the group.
    private func allowedPermissions(_ kept: Kept) -> UInt32 {
        switch kept {
        case .ownerAndGroup: 0o7777
        case .group: status.stamp.kind == .directory ? 0o3777 : 0o1777
        case .nothing: 0o1777
        }
    }

    /// What of the old item's owner and group the new one has.
    private enum Kept {
        case ownerAndGroup, group, nothing
    }

    /// Only root may give files away; a group can be kept by its members.
    ///
    /// Who may not, owns the new file.
    private func keepOwner(
        of file: borrowing FileDescriptor,
        now own: FileStatus
    ) throws(SystemError) -> Kept {
        if own.owner == status.owner, own.group == status.group { return .ownerAndGroup }
        do {
            try SystemCalls.fchown(file, owner: status.owner, group: status.group)
            return .ownerAndGroup
        } catch {
            guard error.errno == EPERM || error.errno == EINVAL else { throw error }
        }
        // A folder that gives its group to what is made in it may have given the right one.
        if own.group == status.group { return .group }
        do {
            try SystemCalls.fchown(file, owner: own.owner, group: status.group)
            return .group
        } catch {
            guard error.errno == EPERM || error.errno == EINVAL else { throw error }
            return .nothing
        }
    }

    /// - Returns: Whether the access list, and with it the permissions, may have changed.
    private func applyExtended(to file: borrowing FileDescriptor) throws(SystemError) -> Bool {
        for (name, value) in extended {
            do { try SystemCalls.fsetxattr(file, name, value) } catch {
                // The label is the system's to give; the user's own attributes must not get lost.
                guard !name.hasPrefix("user."), [EPERM, EACCES, EOPNOTSUPP].contains(error.errno) else {
                    throw error
                }
            }
        }
        // The folder's default list may have given the new item lists that the old did not have.
        let given = try SystemCalls.flistxattr(file).filter { Self.accessListNames.contains($0) }
        for name in given where extended[name] == nil { try SystemCalls.fremovexattr(file, name) }
        return extended[AccessList.attributeName] != nil || given.contains(AccessList.attributeName)
    }
}
