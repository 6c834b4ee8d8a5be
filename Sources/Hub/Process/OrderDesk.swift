internal import Dispatch
internal import FileSystem
internal import Locks

/// Does what commands ask of a hub that is running. See `OrderFiles`.
///
/// Its state is under one lock. One order is done after another, and what cannot be done stays for another time.
final class OrderDesk: Sendable {
    private struct State {
        var watch: DirectoryWatch?
        var isLooking = false
        /// Whether something came while the folder was looked at.
        var isDue = false
        var isEnded = false
    }

    private let folder: StorageFolder
    private let records: SQLiteRecordStore
    private let served: @Sendable () -> Int
    private let complain: @Sendable (String) -> Void
    private let state = Locked(State())

    /// - Parameter served: The time by `ServedTime`.
    init(
        in hub: StorageFolder,
        _ records: SQLiteRecordStore,
        served: @escaping @Sendable () -> Int,
        _ complain: @escaping @Sendable (String) -> Void
    ) throws {
        folder = try hub.subfolder(OrderFiles.folderName)
        (self.records, self.served, self.complain) = (records, served, complain)
    }

    /// Does what is there, and what comes from now on.
    func start() {
        do {
            let queue = DispatchQueue(label: "sheaf.hub.orders", qos: .utility)
            let watch = try DirectoryWatch(folder.path, on: queue) { [weak self] _ in self?.look() }
            state.withLock { $0.watch = watch }
        } catch {
            complain("removing a folder from the hub waits until it is started anew: \(error)")
        }
        look()
    }

    func stop() {
        state.withLock { state in
            state.watch = nil
            state.isEnded = true
        }
    }

    private func look() {
        let begins = state.withLock { state in
            guard !state.isEnded else { return false }
            state.isDue = true
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard begins else { return }
        Task {
            while takesTurn() { await doAll() }
        }
    }

    private func takesTurn() -> Bool {
        state.withLock { state in
            defer { state.isDue = false }
            state.isLooking = state.isDue && !state.isEnded
            return state.isLooking
        }
    }

    private func doAll() async {
        do {
            for order in try OrderFiles.all(in: folder) {
                try await Self.fulfil(order, records, now: served())
                try OrderFiles.remove(order, in: folder)
            }
        } catch {
            complain("what a command asked for could not be done: \(error)")
        }
    }

    /// Does one order. That there is no such container, or nothing left of it, whoever asked sees for himself.
    static func fulfil(_ order: OrderFiles.Order, _ records: SQLiteRecordStore, now: Int) async throws {
        switch order.deed {
        case .remove: _ = try await records.remove(order.container, now: now)
        case .keep: _ = try await records.keep(order.container)
        }
    }
}
