internal import Coordination
internal import Foundation

/// One item of an access as the caller named it; by its own name, where the caller named its placeholder.
struct RequestedItem: Sendable {
    private(set) var url: URL
    /// What `url` names, if that is a file.
    private(set) var item: ItemPath?
    let use: AccessClaim.Use
    /// Whether a symbolic link stands for what it leads to.
    let resolvesSymbolicLink: Bool
    /// Whether the accessor gets a copy, and the access ends before it runs.
    let isForUploading: Bool
    /// Which contents have to be here, as the accessor may look at them.
    let needed: NeededContents
    /// Whether they are those of what a symbolic link leads to, which the accessor reads and writes through it. Who moves, copies or
    /// removes a link does so with the link itself.
    private(set) var isMeantThroughLink: Bool

    enum NeededContents: Sendable {
        case nothing
        /// The item's own, if it is a document.
        case itself
        /// Also those of all documents that are in it.
        case everything
    }

    init(reading url: URL, _ options: NSFileCoordinator.ReadingOptions) {
        let url = UbiquityAccount.of(url).itemURL(of: url)
        self.url = url
        self.item = ItemPath(fileURL: url)
        self.use = .reading(savesFirst: !options.contains(.withoutChanges))
        self.resolvesSymbolicLink = options.contains(.resolvesSymbolicLink)
        self.isForUploading = options.contains(.forUploading)
        let isMetadata = options.contains(.immediatelyAvailableMetadataOnly)
        self.needed = options.contains(.withAllContents) ? .everything : isMetadata ? .nothing : .itself
        self.isMeantThroughLink = resolvesSymbolicLink || needed == .itself
    }

    init(writing url: URL, _ options: NSFileCoordinator.WritingOptions) {
        let url = UbiquityAccount.of(url).itemURL(of: url)
        self.url = url
        self.item = ItemPath(fileURL: url)
        self.use = .writing(options.writing)
        self.resolvesSymbolicLink = false
        self.isForUploading = false
        // FileManager knows the item by its own name alone, also to move, to remove or to replace it.
        let isAsItIs = !options.isDisjoint(with: Self.asItIs)
        self.needed = options.contains(.withAllContents) ? .everything : isAsItIs ? .nothing : .itself
        self.isMeantThroughLink = needed == .itself && options.isDisjoint(with: [.forMoving, .forDeleting])
    }

    /// For what nothing is fetched.
    private static let asItIs: NSFileCoordinator.WritingOptions = [
        .contentIndependentMetadataOnly, .forEvicting, .leavingPlaceholder,
    ]

    /// The same of a symbolic link itself, if it is one.
    var itself: RequestedItem {
        var itself = self
        itself.isMeantThroughLink = false
        return itself
    }

    /// The same of an item that has moved meanwhile.
    func moved(to url: URL, _ item: ItemPath) -> RequestedItem {
        var moved = self
        (moved.url, moved.item) = (url, item)
        return moved
    }

    var isWriting: Bool {
        if case .writing = use { true } else { false }
    }

    /// Whether the item gets another place.
    var isMoving: Bool { use == .writing(.moving) }

    /// Whether something takes the item's place.
    var isReplacing: Bool { use == .writing(.replacing) }

    /// What the arbiter is asked for.
    func claim() throws -> AccessClaim {
        let item = try path()
        return AccessClaim(item, inside: PackageDirectories.enclosing(item), use: use)
    }

    private func path() throws -> ItemPath {
        guard let item else {
            let code: CocoaError.Code = isWriting ? .fileWriteUnsupportedScheme : .fileReadUnsupportedScheme
            throw CocoaError(code, userInfo: [NSURLErrorKey: url])
        }
        return resolvesSymbolicLink ? try Self.target(of: item, url) : item
    }

    /// What a symbolic link leads to, through other links too; the item itself when it is none.
    private static func target(of link: ItemPath, _ url: URL) throws -> ItemPath {
        var item = link
        for _ in 0..<symbolicLinksMax {
            let text: String
            do {
                text = try FileManager.default.destinationOfSymbolicLink(atPath: item.string)
            } catch {
                // Not a link, or nothing there: that is for the accessor to find out.
                return item
            }
            let folder = item.parent?.string ?? "/"
            guard let next = ItemPath(text.hasPrefix("/") ? text : folder + "/" + text) else { return item }
            item = next
        }
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(POSIXErrorCode.ELOOP.rawValue))
        throw CocoaError(.fileReadUnknown, userInfo: [NSURLErrorKey: url, NSUnderlyingErrorKey: cause])
    }

    /// As many as the kernel follows: path_resolution(7).
    static let symbolicLinksMax = 40
}
