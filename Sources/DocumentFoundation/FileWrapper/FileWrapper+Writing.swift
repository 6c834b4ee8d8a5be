internal import FileSystem
internal import Foundation

extension FileWrapper {
    func save(to url: URL, options: WritingOptions, linkingFrom originalURL: URL?) throws {
        guard let path = FilePath(url) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        let original = originalURL.flatMap(FilePath.init)
        let capture = captureForSave()
        let plan =
            if let original, original == path {
                try capture.plan(over: original)
            } else {
                try capture.plan(linkingFrom: original)
            }
        do throws(SystemError) {
            try plan.write(to: path)
        } catch {
            throw CocoaError(error, while: .writing, url: url)
        }
        if options.contains(.withNameUpdating) {
            plan.noteWritten(at: path)
        } else if capture.isOf(path) {
            // What the tree was read from has been replaced by it; members not read yet have to be found.
            plan.noteWritten(at: path, updatesNames: false)
        }
    }
}

extension WrapperSavePlan {
    /// Does the work in one step that a reader sees whole or not at all.
    func write(to path: FilePath) throws(SystemError) {
        guard !isEmpty else { return }
        switch work {
        case .changes(let changes):
            let save = try StagedSave(item: path)
            try save.write(changes)
            _ = try save.commit()
        case .tree(let tree):
            // A link is written as itself; written through one that is there, it could lead to itself.
            var isLink = false
            if case .symbolicLink = tree { isLink = true }
            let save = try StagedSave(item: path, followsSymbolicLink: !isLink)
            try save.write(tree)
            _ = try save.commit()
        }
    }
}
