internal import Foundation

/// A change of a package that is one file with new bytes: what most saves of packages are.
struct LoneMember: Sendable {
    let path: MemberPath
    let data: Data
    let attributes: MemberAttributes

    /// The change, if it is of this kind.
    init?(_ changes: PackageChanges) {
        guard changes.removed.isEmpty, changes.placed.count == 1, let (path, tree) = changes.placed.first,
            path.name != nil, case .file(.data(let data), let attributes) = tree
        else { return nil }
        (self.path, self.data, self.attributes) = (path, data, attributes)
    }

    /// The same change as others see it.
    var changes: PackageChanges { PackageChanges(placed: [path: .file(.data(data), attributes)]) }
}

extension StagedSave {
    /// Puts one file of a package in place, staged as a lone file beside the package: without a folder that
    /// would have to be made, made durable and removed.
    ///
    /// - Returns: The item's stamp; nil, and nothing done, where it takes more: a folder on the way that is new, or
    ///   something in its place that is no file.
    func commitMember(
        _ member: LoneMember,
        _ attributes: MemberAttributes
    ) throws(SystemError) -> FileStamp? {
        let isNew =
            try SystemCalls.statusIfPresent(site.folder, site.itemName + "/" + member.path.relativePath)
            == nil
        let staged = try StagedFile.make(at: site, permissions: isNew ? 0o666 : 0o600)
        stage = .file(staged)
        // Only now do other saves of the package wait, and what is in it holds still.
        let package = try site.folder.folder(site.itemName)
        guard let name = member.path.name, let folder = try folder(of: member, in: package),
            case let carried = try CarriedAttributes(of: name, in: folder),
            (carried == nil) == isNew, [nil, .regular].contains(carried?.status.stamp.kind)
        else {
            try staged.remove()
            stage = .member(member)
            return nil
        }
        try SystemCalls.write(member.data, to: staged.descriptor)
        try CarriedAttributes.dress(staged.descriptor, as: carried, with: member.attributes)
        try SystemCalls.fsync(staged.descriptor)
        placedStamps[member.path] = try SystemCalls.fstat(staged.descriptor).stamp
        try beforeSwap?()
        let isExchanged = try put(name, in: folder, as: member.path)
        isInPlace = true
        try SystemCalls.fsync(folder.descriptor)
        if isExchanged { try SystemCalls.fsync(site.folder.descriptor) }
        stage = .committed(nil)
        if attributes != MemberAttributes() {
            try CarriedAttributes.dress(package.descriptor, as: nil, with: attributes)
            try SystemCalls.fsync(package.descriptor)
        }
        return try SystemCalls.fstat(package.descriptor).stamp
    }

    /// The folder that the member is in; nil when it is not there, or something else is.
    private func folder(of member: LoneMember, in package: Folder) throws(SystemError) -> Folder? {
        do { return try package.folder(member.path.parent ?? .top) } catch {
            guard error.isAbsent || error.errno == ELOOP else { throw error }
            return nil
        }
    }
}
