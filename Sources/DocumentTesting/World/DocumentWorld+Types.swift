public import Foundation
internal import UniformTypeIdentifiers

extension DocumentWorld {
    /// Has the types count that an app declares, for `UTType` and for all devices, as on a machine on which the app has run. Ours;
    /// any thread.
    ///
    /// A test's process is not the app, whose Info.plist it does not find by itself. Without this a document that is a package by
    /// that is a folder to a device, each file in it an item of its own.
    ///
    ///     init() throws { try DocumentWorld.declareTypes(infoPlist: plistURL) }
    ///
    /// - Parameter infoPlist: The app's, a property list or JSON. What it declares counts from now on, for the whole process, as the
    ///   running app's; said again it changes nothing.
    /// - Throws: `CocoaError` of `fileReadCorruptFile` for a file that cannot be read or is neither, with a sentence about it.
    public static func declareTypes(infoPlist: URL) throws {
        do throws(AppInfoError) {
            let name = ProcessInfo.processInfo.processName
            try AppDeclarations.load(infoPlist, executableName: name).declareTypes()
        } catch {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [NSURLErrorKey: infoPlist, NSLocalizedDescriptionKey: error.detail]
            )
        }
    }
}
