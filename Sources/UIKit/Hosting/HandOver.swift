internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
internal import StandardStreams
internal import Threads

/// Takes the files that a later start of the same app was given, so that one process shows all of them.
///
/// For each app and folder of documents there is a socket in the user's runtime folder, which no other user
/// can reach into. Who holds the lock beside it listens, until its process ends. A start sends one line of
/// JSON, an `Order`, and is answered with one, a `Receipt`.
///
/// Sendable: what varies is in locks. A thread of its own listens.
final class HandOver: Sendable {
    /// What a start wants opened.
    struct Order: Codable, Sendable {
        var version = 1
        /// Absolute paths.
        var files: [String]
    }

    /// What becomes of it.
    struct Receipt: Codable, Hashable, Sendable {
        var version = 1
        /// Where the app's page is.
        var link: String
        /// Whether a tab shows it; else it is for the next one that is opened.
        var isShown: Bool
    }

    /// Opens files, and says whether a tab shows them, with a link to the app's page for who has sent them; called on the
    /// listening thread.
    typealias Opener =
        @Sendable ([URL], _ answer: @escaping @Sendable (_ isShown: Bool, _ link: String) -> Void) -> Void

    /// No order is longer.
    private static let byteCountMax = 256 * 1024
    /// How long the other end may take.
    private static let patienceMilliseconds = 3000
    private static let listenerID: UInt64 = 0
    /// After so long it is tried again to take a start for which there was no room.
    private static let roomMilliseconds: Int32 = 100

    private let open: Opener
    private let lock: LockFile
    private let listener: LocalListener
    private let poll: SocketPoll
    private let isEnded = Locked(false)

    /// Listens; nil where another process does already.
    ///
    /// - Parameters:
    ///   - place: Where; `place(of:documents:)` gives it.
    ///   - open: Opens what comes.
    /// - Throws: What keeps it from listening.
    init?(at place: String, open: @escaping Opener) throws(SocketError) {
        guard let lock = try LockFile(ifFree: place + ".lock") else { return nil }
        self.lock = lock
        self.open = open
        listener = try LocalListener(at: place)
        poll = try SocketPoll()
        try poll.add(listener, id: Self.listenerID)
        OwnThread.startInTime("sheaf.hand-over") { [self] in listen() }
    }

    /// Where the processes of an app meet that show one folder of documents.
    static func place(of app: String, documents: URL, in folder: RuntimeFolder) -> String {
        let name = StableHash.of(app + "\n" + documents.standardizedFileURL.path)
        return folder.place(of: "app-" + String(name, radix: 16) + ".sock")
    }

    /// Takes no more.
    func end() {
        isEnded.withLock { $0 = true }
        poll.wake()
    }

    // MARK: Taking

    private func listen() {
        while !isEnded.withLock({ $0 }) {
            do {
                guard try !poll.wait(milliseconds: -1).isEmpty else { continue }
                try takeAll()
            } catch {
                StandardError.say("Files of later starts are not taken any more: \(error)")
                return
            }
        }
    }

    private func takeAll() throws(SocketError) {
        do throws(SocketError) {
            while let socket = try listener.accept() { take(socket) }
        } catch {
            guard error.isWantOfRoom else { throw error }
            // Who waits is taken when there is room again, which nobody tells.
            try poll.change(listener, id: Self.listenerID, isOpen: false)
            _ = try poll.wait(milliseconds: Self.roomMilliseconds)
            try poll.change(listener, id: Self.listenerID, isOpen: true)
        }
    }

    private func take(_ socket: LocalSocket) {
        // Whoever sends no order gets no answer, and finds that the connection ends.
        guard let peer = try? socket.peer(), peer.userID == geteuid(), let line = Self.line(from: socket),
            let order = try? JSONDecoder().decode(Order.self, from: line), order.version == 1,
            order.files.allSatisfy({ $0.hasPrefix("/") })
        else { return }
        open(order.files.map { URL(fileURLWithPath: $0) }) { isShown, link in
            // Who does not wait for the answer serves its own; the files are open all the same.
            _ = Self.send(Receipt(link: link, isShown: isShown), to: socket)
        }
    }

    // MARK: Giving

    /// Hands files to the process that listens.
    ///
    /// - Returns: What it says; nil when nobody listens, or does not answer in time.
    static func give(_ files: [URL], at place: String) -> Receipt? {
        // Nobody there is the usual thing; whatever else is wrong, this start serves its own.
        guard let socket = try? LocalSocket(connectingTo: place),
            send(Order(files: files.map { $0.standardizedFileURL.path }), to: socket),
            let line = line(from: socket), let receipt = try? JSONDecoder().decode(Receipt.self, from: line),
            receipt.version == 1
        else { return nil }
        return receipt
    }

    // MARK: Lines

    private static func send(_ value: some Encodable, to socket: LocalSocket) -> Bool {
        // Texts and numbers can always be encoded.
        guard var data = try? JSONEncoder().encode(value), data.count < byteCountMax else { return false }
        data.append(UInt8(ascii: "\n"))
        return data.withUnsafeBytes { socket.send($0) } == data.count
    }

    private static func line(from socket: LocalSocket) -> Data? {
        let end = ContinuousClock.now + .milliseconds(patienceMilliseconds)
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while data.count < byteCountMax, .now < end {
            switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
            case .bytes(let count):
                data += buffer[..<count]
                if data.last == UInt8(ascii: "\n") { return data.dropLast() }
            case .nothing:
                let left = (end - .now) / .milliseconds(1)
                _ = socket.waitUntilReadable(milliseconds: Int32(max(1, left)))
            case .end: return nil
            }
        }
        return nil
    }
}
