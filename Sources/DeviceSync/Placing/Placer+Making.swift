internal import FileSystem
internal import Locks
internal import Sync
internal import Threads
internal import Vault

extension Placer {
    /// New documents on their way to where they arrive, many at a time.
    struct Making: Sendable {
        let contents: ContentStore
        let root: FilePath
        let table: FolderTable
        /// The folder of the arrivals.
        let place: FilePath

        /// What takes time is the kernel's work for each file, and more threads wait for each other there.
        private static let threadCountMax = 2

        /// What was made.
        struct Made: Sendable {
            /// In order, nil for one that is made, or why it is not.
            var results: [Result<Outcome, any Error>?]
            /// What the volume does not let some of them bear.
            var losses: [ItemID: DressNotes] = [:]
        }

        func make(_ documents: [NewDocument]) throws -> Made {
            let trays = Arrivals.trays(of: documents.count)
            let threadCount = min(trays.count, Self.threadCountMax)
            let made = Locked(Made(results: Array(repeating: nil, count: documents.count)))
            let failure = Locked<(any Error)?>(nil)
            SharedWork.perform(threadCount) { thread in
                do {
                    let restorer = try ContentRestorer(contents.vault)
                    let folder = try StorageFolder(at: place)
                    for tray in stride(from: thread, to: trays.count, by: threadCount) {
                        try make(documents, tray, trays[tray], in: folder, by: restorer, made)
                    }
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
            return made.withLock { $0 }
        }

        /// Makes those of a tray.
        private func make(
            _ documents: [NewDocument],
            _ tray: Int,
            _ numbers: Range<Int>,
            in folder: StorageFolder,
            by restorer: ContentRestorer,
            _ made: Locked<Made>
        ) throws {
            let all = try documents[numbers].map { try $0.state.content.map(ContentStore.contents) }
            try restorer.lookAhead(all.compactMap { $0 })
            let folder = try folder.makeFolder(Arrivals.name(ofTray: tray))
            for number in numbers {
                var losses = DressNotes()
                let document = documents[number]
                let result = make(
                    document,
                    all[number - numbers.lowerBound],
                    number,
                    in: folder,
                    by: restorer,
                    losses: &losses
                )
                guard result != nil || !losses.isEmpty else { continue }
                made.withLock { [losses] made in
                    made.results[number] = result
                    if !losses.isEmpty { made.losses[document.item] = losses }
                }
            }
        }

        /// Of so many bytes on it is looked at first whether anything is in the way: what is small costs less than that.
        private static let lookedAtByteCountMin: UInt64 = 64 << 10

        private func make(
            _ document: NewDocument,
            _ content: DocumentContents?,
            _ number: Int,
            in folder: StorageFolder,
            by restorer: ContentRestorer,
            losses: inout DressNotes
        ) -> Result<Outcome, any Error>? {
            guard table[document.item] == nil, let content else {
                return .success(.another("it is there already"))
            }
            do {
                if content.byteCount >= Self.lookedAtByteCountMin {
                    guard let target = table.path(of: document.state.place, in: root) else {
                        return .success(.another("its folder is not there"))
                    }
                    guard try FolderScan.status(at: target) == nil else {
                        return .success(.another("something is at its place"))
                    }
                }
                let name = Arrivals.name(of: number)
                losses = try contents.restore(document, content, as: name, in: folder, restorer)
                return nil
            } catch {
                return .failure(error)
            }
        }
    }
}
