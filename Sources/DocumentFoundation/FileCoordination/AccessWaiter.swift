internal import Coordination
internal import Foundation

/// How a request for access came out.
enum AccessVerdict: Sendable {
    /// With the items where they are now.
    case granted([ItemPath])
    case cancelled
    /// A presenter answered with this error.
    case refused(any Error)
    /// A presenter did not answer in time.
    case timedOut(SilentPresenter?, PresenterMessage)
    /// It would have waited for ever.
    case deadlock(BrokenCycle)

    /// The items, or the error that the caller gets.
    ///
    /// Called with no lock held: it asks the presenter its name.
    func items(for url: URL) throws -> [ItemPath] {
        switch self {
        case .granted(let items): return items
        case .cancelled: throw CocoaError(.userCancelled, userInfo: [NSURLErrorKey: url])
        case .refused(let error): throw error
        case .deadlock(let cycle): throw FileCoordinationError(deadlock: cycle, url: url)
        case .timedOut(let presenter, let message):
            let name = presenter?.name ?? "a presenter"
            throw FileCoordinationError(
                .presenterTimedOut,
                url: url,
                detail: """
                    \(name) did not answer \(message.selectorName) in time, so “\(url.lastPathComponent)” \
                    was not accessed. Its implementation must always call the handler that it is given.
                    """
            )
        }
    }
}

/// A presenter that has not answered.
enum SilentPresenter: Sendable {
    case here(PresenterHandle)
    case elsewhere(PresenterParty)

    /// Who it is, for people.
    ///
    /// Called with no lock held: it may ask the presenter.
    var name: String {
        switch self {
        case .here(let handle): String(describing: handle.presenter) + Self.registered(handle.place)
        case .elsewhere(let party):
            "\(party.typeName)\(Self.registered(party.place)) in \(party.processName) (process \(party.processID))"
        }
    }

    private static func registered(_ place: String?) -> String {
        place.map { " (registered at \($0))" } ?? ""
    }
}

/// Who hears how a request came out.
struct AccessWaiter: Sendable {
    let coordinator: UInt64
    let resume: @Sendable (AccessVerdict) -> Void
}
