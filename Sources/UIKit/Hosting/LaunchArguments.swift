internal import FileSystem
internal import Foundation
internal import UniformTypeIdentifiers

/// What an app's program is told when it is started.
struct LaunchArguments {
    /// The port to listen on; 0 takes any that is free, nil the app's usual one.
    var port: UInt16?
    /// The folder whose documents the browser shows.
    var documents: URL
    /// Where the app keeps what is not a document.
    var stateDirectory: URL
    /// The documents to open at once.
    var files: [URL] = []
    /// Whether to open the page in the desktop's browser.
    var browses = false

    /// What is wrong with the arguments, in a sentence.
    struct Failure: Error {
        var message: String
    }

    static func usage(_ program: String) -> String {
        """
        usage: \(program) [--documents FOLDER] [--port NUMBER] [--browse] [FILE...]

          FILE                 open this document, a path or a file URL; in the process that shows the
                               same folder already, if there is one and --port is not given

          --documents FOLDER   show the documents of this folder (else $SHEAF_DOCUMENTS, else a folder
                               named after the app in your Documents)
          --port NUMBER        listen on this port of the loopback; 0 takes any free one
          --browse             open the page in the desktop's browser, with xdg-open
          --help               this text
        """
    }

    /// - Returns: nil when help was asked for.
    init?(_ arguments: [String], environment: [String: String]) throws(Failure) {
        var folder = environment["SHEAF_DOCUMENTS"].flatMap { $0.isEmpty ? nil : $0 }
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h":
                return nil
            case "--documents":
                guard let value = rest.popFirst(), !value.isEmpty else {
                    throw Failure(message: "--documents needs a folder")
                }
                folder = value
            case "--port":
                guard let value = rest.popFirst(), let number = UInt16(value) else {
                    throw Failure(message: "--port needs a number from 0 to 65535")
                }
                port = number
            case "--browse":
                browses = true
            case "--":
                files += rest.map(Self.file)
                rest = []
            case _ where option.hasPrefix("-"):
                throw Failure(message: "unknown argument “\(option)”")
            default:
                files.append(Self.file(option))
            }
        }
        let name = AppInfo.main.displayName
        documents =
            folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? Self.ownFolder(
                in: .documentDirectory,
                environment,
                name
            )
        let state = BaseDirectories(environment: environment).state.url(isDirectory: true)
        stateDirectory = state.appendingPathComponent("sheaf").appendingPathComponent(
            AppInfo.main.bundleIdentifier ?? AppInfo.main.executableName
        )
    }

    /// A path, or a file URL as a desktop gives it.
    private static func file(_ text: String) -> URL {
        if text.hasPrefix("file:"), let url = URL(string: text), url.isFileURL { return url }
        return URL(fileURLWithPath: text)
    }

    /// The first file that is not there.
    var missingFile: URL? { files.first { !FileManager.default.fileExists(atPath: $0.path) } }

    private static func ownFolder(
        in directory: FileManager.SearchPathDirectory,
        _ environment: [String: String],
        _ name: String
    ) -> URL {
        let base =
            FileManager.default.urls(for: directory, in: .userDomainMask).first
            ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent("Documents")
        return base.appendingPathComponent(name, isDirectory: true)
    }
}
