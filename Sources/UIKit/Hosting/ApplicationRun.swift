internal import Cryptography
internal import DocumentFoundation
internal import Foundation
internal import LocalSockets
internal import StandardStreams
internal import UniformTypeIdentifiers

/// One run of an app, from its start to the end of its process.
@MainActor
enum ApplicationRun {
    private static var delegate: (any UIApplicationDelegate)?
    private static var endSignals: EndSignals?
    private static var exitStatus: Int32?
    private static var isEnding = false
    /// Takes the files of later starts.
    static var handOver: HandOver?

    /// The folder whose documents the browser shows.
    private(set) static var documents = FileManager.default.homeDirectoryForCurrentUser

    static func start(delegateType: NSObject.Type) -> Int32 {
        LibraryState.keepToTheEnd()
        let program = ProcessInfo.processInfo.processName
        let arguments: LaunchArguments
        do throws(LaunchArguments.Failure) {
            guard
                let parsed = try LaunchArguments(
                    CommandLine.arguments,
                    environment: ProcessInfo.processInfo.environment
                )
            else {
                print(LaunchArguments.usage(program))
                return 0
            }
            if let missing = parsed.missingFile {
                throw LaunchArguments.Failure(message: "there is no “\(missing.path)”")
            }
            arguments = parsed
        } catch {
            StandardError.say("\(program): \(error.message)\n\n\(LaunchArguments.usage(program))")
            return 2
        }
        if handOver(arguments) { return 0 }
        guard let made = DynamicInit.make(delegateType) as? any UIApplicationDelegate else {
            preconditionFailure(
                "\(delegateType) cannot be made, or does not conform to UIApplicationDelegate"
            )
        }
        delegate = made
        UIApplication.shared.delegate = made
        do {
            try launch(arguments, made)
        } catch {
            StandardError.say("\(program) could not start: \(error)")
            return 1
        }
        while exitStatus == nil {
            // Everything wakes the loop by itself; the date only bounds one turn of it.
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 60))
        }
        return exitStatus ?? 0
    }

    private static func launch(_ arguments: LaunchArguments, _ delegate: any UIApplicationDelegate) throws {
        documents = arguments.documents
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        watchSignals(arguments)
        // The browser lets a person choose anything in it.
        SecurityScope.shared.grant(documents)
        BookmarkKeeper.shared.addDocumentFolder(documents)
        StateKeeper.current = StateKeeper(StateFile(in: arguments.stateDirectory))
        let application = UIApplication.shared
        let options: [UIApplication.LaunchOptionsKey: Any]? =
            SceneManifest.isDeclared ? nil : arguments.files.first.map { [.url: $0] }
        _ = delegate.application(application, willFinishLaunchingWithOptions: options)
        _ = delegate.application(application, didFinishLaunchingWithOptions: options)
        NotificationCenter.default.post(
            name: UIApplication.didFinishLaunchingNotification,
            object: application
        )
        OpenedURLs.open(arguments.files)
        let host = try AppHost(arguments)
        print("\(AppInfo.main.displayName) is ready: \(host.link.absoluteString)")
        print("Documents: \(documents.path)    Stop with Ctrl-C.")
        fflush(nil)
        takeHandedOver(arguments) { host.linkForOne().absoluteString }
        if arguments.browses { browse(host.linkForOne().absoluteString, arguments) }
    }

    // MARK: The end

    private static func watchSignals(_ arguments: LaunchArguments) {
        signal(SIGPIPE, SIG_IGN)
        endSignals = EndSignals([SIGINT, SIGTERM, SIGHUP]) {
            DispatchQueue.main.async { MainActor.assumeIsolated { end(arguments) } }
        }
    }

    /// Saves and closes every document, then ends the process.
    private static func end(_ arguments: LaunchArguments) {
        guard !isEnding else { return }
        isEnding = true
        handOver?.end()
        removeLinkPage(arguments)
        let application = UIApplication.shared
        delegate?.applicationWillTerminate(application)
        NotificationCenter.default.post(name: UIApplication.willTerminateNotification, object: application)
        StateKeeper.current?.finish()
        OpenDocuments.closeAll { unsaved in
            for document in unsaved {
                let reason = document.lastError.map { ": \($0.localizedDescription)" } ?? ""
                StandardError.say("“\(document.fileURL.path)” could not be saved\(reason)")
            }
            Task {
                await AppHost.current?.stop()
                exitStatus = unsaved.isEmpty ? 0 : 1
                // Makes the run loop look at what it waits for.
                RunLoop.main.perform {}
            }
        }
    }
}
