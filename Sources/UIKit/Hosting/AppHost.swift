internal import Dispatch
internal import FileSystem
internal import Foundation
internal import HTTPService
internal import StandardStreams
internal import UniformTypeIdentifiers
internal import WebHost

/// The app's page on this machine's loopback.
@MainActor
final class AppHost {
    /// The one that serves now.
    private(set) static var current: AppHost?

    /// What the page says of the app.
    static var description: OutgoingMessage.AppDescription {
        OutgoingMessage.AppDescription(name: AppInfo.main.displayName, tint: UIColor.systemBlue.hexadecimal)
    }

    private let host: WebHost
    private let receiver: HostReceiver
    /// The address with the start-up token.
    let link: URL

    init(_ arguments: LaunchArguments) throws {
        let uploads = try UploadFolder()
        receiver = HostReceiver(uploads: uploads)
        let configuration = WebHostConfiguration(
            port: arguments.port ?? Self.usualPort,
            pageDirectory: PageFiles.directory,
            stateDirectory: arguments.stateDirectory
        )
        host = try WebHost(configuration: configuration, delegate: receiver)
        link = try host.start()
        Self.current = self
    }

    /// A link for another program to open; it works once. Where none can be made there is the one that is printed.
    func linkForOne() -> URL {
        do { return try host.linkForOne() ?? link } catch {
            StandardError.say("\(error)")
            return link
        }
    }

    /// Stops serving, when what is being answered has been answered.
    func stop() async {
        await host.stop()
        receiver.uploads.removeAll()
        Self.current = nil
    }

    /// A port that stays the same from start to start, so that a tab left open finds the app again.
    private static var usualPort: UInt16 {
        let hash = StableHash.of(AppInfo.main.bundleIdentifier ?? AppInfo.main.executableName)
        return 20_000 + UInt16(hash % 20_000)
    }

    /// The files that a tab uploaded for one import.
    func takeUploads(_ batch: String, of tab: String) -> URL? {
        receiver.uploads.take(batch, of: tab)
    }

    /// Removes what a tab uploaded and does not import: one batch, or all that it has.
    func dropUploads(_ batch: String? = nil, of tab: String) {
        let uploads = receiver.uploads
        let homes = batch.map { [uploads.take($0, of: tab)].compactMap { $0 } } ?? uploads.takeAll(of: tab)
        guard !homes.isEmpty else { return }
        DispatchQueue.global(qos: .utility).async {
            // What cannot be removed goes with the process.
            for home in homes { try? FileManager.default.removeItem(at: home) }
        }
    }
}

/// Takes what the host's threads bring and carries it to the main actor, in order.
private final class HostReceiver: WebHostDelegate, Sendable {
    let uploads: UploadFolder

    init(uploads: UploadFolder) {
        self.uploads = uploads
    }

    func page(for request: WebRequest, proofKey: String) async -> WebResponse {
        do {
            return .html(try await FirstPage.make(proofKey: proofKey))
        } catch {
            StandardError.say("The page could not be made: \(error)")
            return .text("The page could not be made. Look at what the program printed.\n", status: 500)
        }
    }

    func editorFile(key: String, path: String, request: WebRequest) async -> WebResponse {
        EditorFiles.response(key: key, path: path)
    }

    func thumbnail(tab: String, item: String) async -> WebResponse {
        guard let location = await SceneSessions.location(shownBy: tab) else { return ItemThumbnail.none }
        return await ItemThumbnail.response(for: item, in: location)
    }

    func tabConnected(_ tab: WebTab) {
        EventTurns.add { SceneSessions.connected(tab) }
    }

    func tab(_ tab: WebTab, received text: String) {
        EventTurns.add { SceneSessions.received(text, from: tab) }
    }

    func tabDisconnected(_ tab: WebTab) {
        EventTurns.add { SceneSessions.disconnected(tab) }
    }

    func visitorRefused(ofUser user: UInt32) {
        StandardError.say(
            "A program of user \(user) wanted to connect and was refused: "
                + "the page is for browsers of the user who runs this program."
        )
    }

    func uploadFinished(_ upload: WebUpload) {
        // The import that names the batch takes all of it.
    }

    func uploadDestination(tab: String, batch: String, path: String) throws -> URL {
        try uploads.place(path, batch: batch, tab: tab)
    }
}
