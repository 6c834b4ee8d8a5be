internal import Coordination
internal import Foundation

/// A presenter in our hands.
struct PresenterHandle: @unchecked Sendable {
    // Sendable because apart from the two properties that any thread may ask for, the presenter is only sent
    // messages, on its own queue.
    let presenter: any NSFilePresenter
    let id: PresenterID
    let typeName: String
    /// What it wanted to hear of when it was added; nothing for a handle that we got for another reason.
    let observedUbiquityAttributes: Set<URLResourceKey>
    /// When we got it, in seconds since 1970.
    let since: Double
    /// Where it was registered; nil when that is not known, or when we got it for another reason.
    let place: String?

    /// On which device its item is, for what it is sent.
    let context: DeviceContext?

    /// Of a presenter for whom something is done.
    init(_ presenter: any NSFilePresenter) {
        // It is sent nothing by this handle.
        self.init(presenter, observing: [], place: nil, on: nil)
    }

    /// Of a presenter that is added, on the thread that adds it.
    init(adding presenter: any NSFilePresenter, place: String?) {
        let observed = presenter.observedPresentedItemUbiquityAttributes
        self.init(
            presenter,
            observing: observed,
            place: place,
            on: .current(for: presenter.presentedItemURL)
        )
    }

    private init(
        _ presenter: any NSFilePresenter,
        observing observed: Set<URLResourceKey>,
        place: String?,
        on context: DeviceContext?
    ) {
        (self.presenter, self.context) = (presenter, context)
        self.id = Self.id(of: presenter)
        self.typeName = String(describing: type(of: presenter))
        self.observedUbiquityAttributes = observed
        self.since = FileAccessRegistry.now
        self.place = place
    }

    /// What the arbiter is told when it is added.
    func added(at path: ItemPath?) -> ArbiterEvent {
        .presenterAdded(
            id,
            at: path,
            typeName: typeName,
            PresenterRegistration(place: place, since: since)
        )
    }

    /// Unique among the presenters alive; whoever uses the id keeps the presenter alive.
    static func id(of presenter: any NSFilePresenter) -> PresenterID {
        let address = UInt(bitPattern: ObjectIdentifier(presenter as AnyObject))
        return PresenterID(client: FileAccessRegistry.client, number: UInt64(address))
    }
}
