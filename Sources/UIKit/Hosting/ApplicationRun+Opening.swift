internal import Foundation
internal import LocalSockets
internal import StandardStreams
internal import UniformTypeIdentifiers

extension ApplicationRun {
    /// Where the processes of this app meet; nil where the user has no runtime folder that is safe.
    private static func meetingPlace(_ arguments: LaunchArguments) -> String? {
        // Then every start serves its own: `sheaf doctor` says what is wrong with the folder.
        guard let folder = try? RuntimeFolder(environment: ProcessInfo.processInfo.environment) else {
            return nil
        }
        let app = AppInfo.main.bundleIdentifier ?? AppInfo.main.executableName
        return HandOver.place(of: app, documents: arguments.documents, in: folder)
    }

    /// Hands the files that this process was started with to one that runs already.
    ///
    /// - Returns: Whether that is all there is to do. Not for a start that names its port: it is to serve.
    static func handOver(_ arguments: LaunchArguments) -> Bool {
        guard !arguments.files.isEmpty, arguments.port == nil, let place = meetingPlace(arguments),
            let receipt = HandOver.give(arguments.files, at: place)
        else { return false }
        print("\(AppInfo.main.displayName) runs already: \(receipt.link)")
        fflush(nil)
        if arguments.browses, !receipt.isShown { browse(receipt.link) }
        return true
    }

    /// Takes what later starts are given, from now on.
    ///
    /// - Parameter link: Makes a link to the page for one of them.
    static func takeHandedOver(_ arguments: LaunchArguments, link: @escaping @MainActor () -> String) {
        guard let place = meetingPlace(arguments) else { return }
        do {
            handOver = try HandOver(at: place) { files, answer in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated { answer(OpenedURLs.open(files), link()) }
                }
            }
        } catch {
            StandardError.say("Later starts will serve their own: \(error)")
        }
    }

    /// Opens the page in the desktop's browser.
    static func browse(_ link: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", link]
        do { try process.run() } catch {
            StandardError.say("The page could not be opened in a browser (\(error)); open \(link) yourself.")
        }
    }
}
