internal import Dispatch
internal import FileSystem
internal import Foundation

/// Has what another process died at, while it shut a device out, gone on with by one that lives for long.
///
/// Nothing is done while nobody shuts anybody out: who does so holds a lock, and to let go of it, or to die, closes a file. The
/// key that he has made is taken then, whatever the hub shows to this process: nothing is sealed under an older one any more.
///
///     at rest ──(the file is closed, or the line has come up)──▶ looks ──(nothing is planned)──▶ at rest
///     looks ──(a plan is there still)──▶ looks again in a while
///
/// Sendable; all calls may come from any thread. Its state is its queue's.
final class RevocationKeeper: @unchecked Sendable {
    // Sendable because all that changes is reached on `queue` alone.
    private let sharing: Sharing
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let tell: @Sendable (SyncReport) -> Void
    let queue = DispatchQueue(label: "sheaf.revocations", qos: .utility)
    private var watch: DirectoryWatch?
    private var isUp = false
    /// Whether it looks again in a while anyway. What it does itself closes the file too.
    private var isDue = false

    /// A process that dies closes the file before it lets go of the lock; and a hub may refuse for a while.
    private static let delay = DispatchTimeInterval.seconds(10)

    /// Begins.
    ///
    /// - Parameters:
    ///   - sharing: Of the container.
    ///   - later: Does something in a while.
    ///   - tell: Told what fails.
    init(
        _ sharing: Sharing,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
            DispatchQueue(label: "sheaf.revocations-later").asyncAfter(
                deadline: .now() + delay,
                execute: body
            )
        },
        tell: @escaping @Sendable (SyncReport) -> Void
    ) {
        (self.sharing, self.later, self.tell) = (sharing, later, tell)
        queue.async { [weak self] in self?.begin() }
    }

    /// Something has happened to the container: without a line nothing is gone on with.
    func note(_ report: SyncReport) {
        switch report {
        case .lineUp: set(isUp: true)
        case .lineDown, .stopped: set(isUp: false)
        default: break
        }
    }

    private func set(isUp: Bool) {
        queue.async { [weak self] in
            self?.isUp = isUp
            self?.look()
        }
    }

    private func begin() {
        do {
            watch = try DirectoryWatch(try sharing.lockPlace(), on: queue) { [weak self] _ in
                guard let self else { return }
                isDue ? takeKeys() : look()
            }
        } catch {
            // For want of watches, or of room for the file, it looks from time to time instead.
            watch = nil
        }
        look()
    }

    private func takeKeys() {
        do { try sharing.keys.takeKept() } catch {
            tell(.failed(path: "this device's keys", why: "\(error)"))
        }
    }

    private func look() {
        takeKeys()
        guard isUp else { return }
        var isPlanned = true
        do {
            try sharing.finish()
            isPlanned = try sharing.plan() != nil
        } catch {
            tell(.failed(path: "shutting a device out", why: "\(error)"))
        }
        if isPlanned || watch == nil { lookLater() }
    }

    private func lookLater() {
        guard !isDue else { return }
        isDue = true
        later { [weak self] in
            self?.queue.async { [weak self] in
                self?.isDue = false
                self?.look()
            }
        }
    }
}
