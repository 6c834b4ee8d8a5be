package import Foundation
internal import Glibc

/// What a member of a document bears beside its bytes and its name.
package struct MemberDress: Hashable, Sendable {
    /// Permission bits, without set-user-ID and set-group-ID.
    package var permissions: UInt32
    package var modificationSeconds: Int64
    package var modificationNanoseconds: Int64
    /// Extended attributes of the user's, by their whole name.
    package var attributes: [String: Data]

    package init(
        permissions: UInt32,
        modificationSeconds: Int64,
        modificationNanoseconds: Int64,
        attributes: [String: Data]
    ) {
        self.permissions = permissions
        self.modificationSeconds = modificationSeconds
        self.modificationNanoseconds = modificationNanoseconds
        self.attributes = attributes
    }

    /// Has an open item bear this, as far as the volume lets it.
    ///
    /// - Parameter isDated: Whether the date is among that.
    /// - Returns: What it bears instead; nil when it bears all of it.
    func apply(to file: borrowing FileDescriptor, isDated: Bool) throws(SystemError) -> MemberDress? {
        var borne = self
        for (name, value) in attributes where name.hasPrefix("user.") {
            do { try SystemCalls.fsetxattr(file, name, value) } catch {
                // A volume without extended attributes, or with room for fewer, still gets the item.
                guard [EOPNOTSUPP, ENOSPC, E2BIG, ERANGE, EPERM].contains(error.errno) else { throw error }
                borne.attributes[name] = nil
            }
        }
        do { try SystemCalls.fchmod(file, permissions & 0o1777) } catch {
            // FAT has no permissions to set.
            guard error.errno == EPERM else { throw error }
        }
        if isDated {
            do {
                try SystemCalls.futimens(
                    file,
                    seconds: modificationSeconds,
                    nanoseconds: modificationNanoseconds
                )
            } catch {
                // A volume that knows no such time gives its own.
                guard [EINVAL, EPERM, EOPNOTSUPP].contains(error.errno) else { throw error }
            }
        }
        // A volume may also take what it does not keep: permissions where it has none, parts of a second.
        borne.take(try SystemCalls.fstat(file).stamp, isDated: isDated)
        return borne == self ? nil : borne
    }

    /// Has a symbolic link bear the date, which is all that one can be given.
    ///
    /// - Returns: As `apply`.
    func apply(toLink name: String, in folder: Folder) throws(SystemError) -> MemberDress? {
        do {
            try SystemCalls.utimensat(
                folder,
                name,
                seconds: modificationSeconds,
                nanoseconds: modificationNanoseconds
            )
        } catch {
            guard [EINVAL, EPERM, EOPNOTSUPP, ENOSYS].contains(error.errno) else { throw error }
        }
        var borne = self
        borne.attributes = [:]
        borne.take(try SystemCalls.fstatat(folder, name).stamp, isDated: true)
        return borne == self ? nil : borne
    }

    /// Is what the kernel says of an item from now on.
    private mutating func take(_ stamp: FileStamp, isDated: Bool) {
        permissions = stamp.permissions & 0o1777
        guard isDated else { return }
        modificationSeconds = stamp.modificationSeconds
        modificationNanoseconds = stamp.modificationNanoseconds
    }
}
