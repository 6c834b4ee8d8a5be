internal import Foundation

extension NSFileCoordinator {
    /// Adds a presenter, which hears of coordinated accesses from now on.
    ///
    /// It is held until it is removed.
    ///
    /// Nothing happens if it is there already. Any thread.
    ///
    /// Who waits for the presenter, or looks at a deadlock, is told where it was added.
    ///
    /// - Parameters:
    ///   - filePresenter: The presenter.
    ///   - fileID: The file of the call; leave it out.
    ///   - line: The line of the call; leave it out.
    public class func addFilePresenter<Presenter: NSFilePresenter>(
        _ filePresenter: Presenter,
        fileID: String = #fileID,
        line: Int = #line
    ) {
        // Generic, so that without a call, as in `let add = NSFileCoordinator.addFilePresenter`, the other one is meant.
        FileAccessRegistry.shared.add(filePresenter, fileID: fileID, line: line)
    }

    /// Adds a presenter: what `addFilePresenter` is where it is used as a value.
    ///
    /// Where it was added is not known then.
    @_disfavoredOverload
    public class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        FileAccessRegistry.shared.add(filePresenter, place: nil)
    }

    /// Removes a presenter, and lets go of it; nothing if it is not there.
    ///
    /// Any thread.
    ///
    /// Whoever waits for its answer goes on. What it left to be run on reacquiring is still run.
    public class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        FileAccessRegistry.shared.remove(filePresenter)
    }

    /// The presenters of this process, in the order they were added.
    ///
    /// Any thread.
    public class var filePresenters: [any NSFilePresenter] { FileAccessRegistry.shared.presenters }
}
