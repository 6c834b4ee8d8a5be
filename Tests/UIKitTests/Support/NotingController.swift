import UIKit

/// What happened, in order.
@MainActor
final class Journal {
    private var entries: [String] = []

    func note(_ entry: String) { entries.append(entry) }

    /// Everything since the last time, and forgets it.
    func take() -> [String] {
        defer { entries = [] }
        return entries
    }
}

/// A view controller that notes what it is told.
@MainActor
final class NotingController: UIViewController {
    let name: String
    let journal: Journal
    var onDisappear: (() -> Void)?

    init(_ name: String, _ journal: Journal) {
        self.name = name
        self.journal = journal
        super.init(nibName: nil, bundle: nil)
        title = name
    }

    required init?(coder: NSCoder) { nil }

    private func note(_ what: String, _ animated: Bool = false) {
        let marks = (animated ? "*" : "") + (isBeingPresented ? "+" : "") + (isBeingDismissed ? "-" : "")
        journal.note("\(name) \(what)\(marks)")
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        note("load")
    }
    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("will", animated)
    }
    override func viewIsAppearing(_ animated: Bool) {
        super.viewIsAppearing(animated)
        note("is", animated)
    }
    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        note("did", animated)
    }
    override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        note("willGo", animated)
        onDisappear?()
    }
    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("gone", animated)
    }
    override func willMove(toParent parent: UIViewController?) {
        note(parent == nil ? "leaves" : "enters")
    }
    override func didMove(toParent parent: UIViewController?) {
        note(parent == nil ? "left" : "entered")
    }
}
