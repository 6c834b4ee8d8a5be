internal import Foundation
internal import LocalSockets
internal import StandardStreams
internal import UniformTypeIdentifiers
internal import WebHost

extension ApplicationRun {
    /// Where the processes of this app meet; nil where the user has no runtime folder that is safe.
    private static func meetingPlace(_ arguments: LaunchArguments) -> String? {
        // Then every start serves its own: `sheaf doctor` says what is wrong with the folder.
        guard let folder = try? RuntimeFolder(environment: ProcessInfo.processInfo.environment) else {
            return nil
        }
        return place(arguments, in: folder)
    }

    private static func place(_ arguments: LaunchArguments, in folder: RuntimeFolder) -> String {
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
        if arguments.browses, !receipt.isShown { browse(receipt.link, arguments) }
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
    ///
    /// All users of the machine see what a program is given to open, among the arguments of processes. Where the kernel tells whose
    /// a connection is, the link is of no use to others. Elsewhere it goes by a page of our own, which not every browser can read: one
    /// that is kept in a package of its own sees no hidden folders.
    static func browse(_ link: String, _ arguments: LaunchArguments) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        do {
            let address =
                WebHost.knowsVisitors() ? link : try linkPage(arguments).lead(to: link).absoluteString
            process.arguments = ["xdg-open", address]
            try process.run()
        } catch {
            StandardError.say("The page could not be opened in a browser (\(error)); open \(link) yourself.")
        }
    }

    /// Leaves no page behind that leads to this process.
    static func removeLinkPage(_ arguments: LaunchArguments) {
        // Without a folder for it there was none.
        try? linkPage(arguments).remove()
    }

    private static func linkPage(_ arguments: LaunchArguments) throws -> LinkPage {
        let folder = try RuntimeFolder(environment: ProcessInfo.processInfo.environment)
        return LinkPage(path: place(arguments, in: folder) + ".html")
    }
}
