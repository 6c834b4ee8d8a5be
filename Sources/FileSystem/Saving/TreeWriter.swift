internal import Foundation

/// Writes trees into a staging folder.
///
/// Syncs nothing: that is done once, for all, before the commit.
struct TreeWriter {
    /// The item that the tree, or a part of it, will replace; its members hand on their attributes.
    let replaced: Folder?

    /// Writes a tree under a name that is free.
    ///
    /// - Parameter counterpart: The member of the replaced item whose place it takes; nil when none can be.
    func write(
        _ tree: MemberTree,
        as name: String,
        in folder: Folder,
        counterpart: MemberPath?
    ) throws(SystemError) {
        switch tree {
        case .symbolicLink(let text):
            try SystemCalls.symlinkat(text, folder, name)
        case .file(.existing(let source, let stamp), let attributes):
            try FileCopying.place(source, bearing: stamp, with: attributes, as: name, in: folder)
        case .file(.data(let data), let attributes):
            let carried = try attributesCarried(from: counterpart)
            let permissions: UInt32 = carried == nil ? 0o666 : 0o600
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW
            let file = try SystemCalls.openat(folder, name, flags, permissions: permissions)
            try SystemCalls.write(data, to: file)
            try CarriedAttributes.dress(file, as: carried, with: attributes)
        case .directory(let members, let attributes):
            let carried = try attributesCarried(from: counterpart)
            try SystemCalls.mkdirat(folder, name, permissions: carried == nil ? 0o777 : 0o700)
            let own = try folder.folder(name)
            for (memberName, member) in members {
                guard MemberPath.isName(memberName) else {
                    throw SystemError(call: "openat", errno: EINVAL, path: own.place(of: memberName))
                }
                let counterpart = carried == nil ? nil : counterpart?.appending(memberName)
                try write(member, as: memberName, in: own, counterpart: counterpart)
            }
            try CarriedAttributes.dress(own.descriptor, as: carried, with: attributes)
        }
    }

    private func attributesCarried(
        from counterpart: MemberPath?
    ) throws(SystemError) -> CarriedAttributes? {
        guard let replaced, let counterpart else { return nil }
        return try CarriedAttributes(of: counterpart.relativePath, in: replaced)
    }
}

extension MemberPath {
    /// The path as the kernel takes it, relative to the package: "." for the package itself.
    var relativePath: String { components.isEmpty ? "." : description }

    /// The folder that holds the member; nil for the package itself.
    var parent: MemberPath? { components.isEmpty ? nil : MemberPath(Array(components.dropLast())) }

    /// The member's own name; nil for the package itself.
    var name: String? { components.last }

    /// Whether this is the other path or inside it.
    func isWithin(_ other: MemberPath) -> Bool { components.starts(with: other.components) }
}
