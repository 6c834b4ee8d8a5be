internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import SQLite
internal import SyncMessages
internal import Vault

/// Why something cannot be done on this device's disk, or its record has no place at the hub.
struct DiskRefusal: CustomStringConvertible {
    /// What keeps a disk from doing it; what a person can do about it differs.
    enum Cause {
        case full, failing, readOnly, other
        /// Of the kernel's watches there are no more.
        case watches
        /// It is a file that is nearly all holes.
        case sparse
        /// The volume has no such names.
        case name
        /// With all folders above it, it has a longer path than the kernel takes.
        case path
        /// A name that is here is none that other devices could have.
        case nameHere
        /// A link that is here leads to a name that is none.
        case linkHere
        /// It is on another volume than where it is to be.
        case otherVolume
        /// What is there is not what was: a volume is not mounted, say.
        case away
        /// The hub has no room for its record.
        case hubFull
        /// Something on the way to the hub does not let its record through.
        case onTheWay
    }

    let description: String
    let cause: Cause
    private var helps: String?

    init(_ error: any Error) {
        description = (error as? FileCoordinationError)?.detail ?? "\(error)"
        cause = Self.cause(of: error)
        if let error = error as? SystemError, error.lacksQueue { helps = Self.queues }
    }

    /// - Parameter what: What the error keeps from being done.
    init(_ what: String, _ error: any Error) {
        let why = DiskRefusal(error)
        (description, cause, helps) = ("\(what): \(why)", why.cause, why.helps)
    }

    /// - Parameter helps: What helps; nil where what it is in the way of tells.
    init(_ why: String, helps: String? = nil) { (description, cause, self.helps) = (why, .other, helps) }

    /// - Parameter helps: What brings it back.
    init(away why: String, helps: String) { (description, cause, self.helps) = (why, .away, helps) }

    /// - Parameter refusal: Why its record does not come to the hub.
    init(ofRecord refusal: SyncRefusal) {
        cause = refusal.code == .quota ? .hubFull : .onTheWay
        (description, helps) = (refusal.description, refusal.remedy)
    }

    /// Whether a former one says the same to a person: of a disk that is full it is no news which file has no room this time.
    func isSaid(by former: DiskRefusal?) -> Bool {
        guard let former, former.cause == cause else { return false }
        return isOfDisk || former.description == description
    }

    /// Whether the whole disk is so, or this machine, whatever it is about.
    var isOfDisk: Bool {
        switch cause {
        case .full, .failing, .readOnly, .watches: true
        default: false
        }
    }

    static func cause(of error: any Error) -> Cause {
        switch error {
        case let error as SystemError where error.lacksWatch || error.lacksQueue: .watches
        case let error as SystemError where error.call == "getdents" && error.errno == EILSEQ: .nameHere
        case let error as SystemError where error.call == "readlinkat" && error.errno == EILSEQ: .linkHere
        case let error as SystemError where error.isPathTooLong: .path
        case let error as SystemError where hasNoSuchName(error): .name
        case let error as SystemError where error.errno == EROFS: .readOnly
        case let error as SystemError where error.isAcrossVolumes: .otherVolume
        case let error as SystemError: error.isFull ? .full : error.isFault ? .failing : .other
        case let error as VaultError where error.code == .sparse: .sparse
        case let error as SQLiteError: error.isFull ? .full : error.isFault ? .failing : .other
        case let error as CocoaError:
            // Of what Foundation does, such as removing a tree.
            cause(ofNumber: error.userInfo[NSUnderlyingErrorKey] as? NSError)
        default: .other
        }
    }

    /// Whether a volume has refused a name: FAT and its like say no more than that something is not valid.
    private static func hasNoSuchName(_ error: SystemError) -> Bool {
        switch error.errno {
        case ENAMETOOLONG, EILSEQ: true
        case EINVAL: NameTrouble.text(of: error.path.name) != nil
        default: false
        }
    }

    private static let queues = """
        Programs of yours have as many queues of watches as this machine allows: end one that watches files, or raise \
        fs.inotify.max_user_instances (sysctl). Meanwhile it is looked at every ten seconds.
        """

    private static func cause(ofNumber error: NSError?) -> Cause {
        guard let error, error.domain == NSPOSIXErrorDomain else { return .other }
        return switch CInt(error.code) {
        case ENOSPC, EDQUOT: .full
        case EIO: .failing
        case EROFS: .readOnly
        default: .other
        }
    }

    /// What is to be done about it; nil where nothing is said of that.
    var remedy: String? {
        switch cause {
        case .full: "Free some space on this device's disk, or of your quota there; it goes on by itself."
        case .failing:
            "This device's disk reports faults: check it, and put it right or replace it; it is tried again every ten seconds."
        case .readOnly:
            "The folder's volume may not be written to: mount it so that it may; it is tried again every ten seconds."
        case .path:
            "Give the folders above it shorter names, or have it in fewer of them; it comes by itself."
        case .watches:
            helps
                ?? "More folders are watched than this machine allows: raise fs.inotify.max_user_watches (sysctl). Meanwhile it is looked at every ten seconds."
        case .sparse:
            "Keep it elsewhere, make it shorter, or have more of it be there: a file longer than 16 GiB goes if a sixteenth of that is set aside for it."
        case .name:
            "The volume of this device has no such names: give it another one where it is, and it comes by itself."
        case .nameHere:
            "What is named there has a name that is not UTF-8, which other devices could not have: rename it, and this goes on by itself."
        case .linkHere:
            "The link that is named there leads to a name that is not UTF-8, which other devices could not have: have it lead elsewhere, and this goes on by itself."
        case .otherVolume:
            "It is on another volume of this device than where it is to be: move it there by hand; what has come to it elsewhere follows."
        case .away, .hubFull, .onTheWay, .other: helps
        }
    }
}
