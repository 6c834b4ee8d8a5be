import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

/// Lets a test hand one tree to several threads.
///
/// Sendable because wrappers may be used from any thread.
private struct SharedWrapper: @unchecked Sendable {
    let wrapper: FileWrapper
}

@Suite("FileWrapper threads")
struct FileWrapperThreadsTests {
    @Test("One tree can be read, changed and saved from several threads at once")
    func sharing() throws {
        let folder = try WrapperFolder()
        var members: [String: WrapperTree] = ["sub": .folder(["x": .file("x"), "y": .file("y")])]
        for index in 0..<50 { members["m\(index)"] = .file("\(index)") }
        try WrapperTree.folder(members).write(to: folder["doc"])
        let path = try #require(FilePath(folder["doc"]))
        let shared = SharedWrapper(wrapper: try FileWrapper(url: folder["doc"]))
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            let top = shared.wrapper
            for round in 0..<25 {
                switch thread {
                case 0:
                    let plan = try? top.captureForSave().plan(over: path)
                    guard let plan else { continue }
                    #expect(throws: Never.self) { try plan.write(to: path) }
                    plan.noteWritten(at: path)
                case 1:
                    let key = top.addRegularFile(
                        withContents: Data("r\(round)".utf8),
                        preferredFilename: "new"
                    )
                    if round % 2 == 0, let child = top.fileWrappers?[key] { top.removeFileWrapper(child) }
                case 2:
                    _ = WrapperTree(top)
                    _ = top.serializedRepresentation
                default:
                    top.fileWrappers?["sub"]?.addRegularFile(
                        withContents: Data(),
                        preferredFilename: "s\(round)"
                    )
                    top.fileWrappers?["m\(round)"]?.preferredFilename = "n\(round)"
                }
            }
        }
        let top = shared.wrapper
        let plan = try top.captureForSave().plan(over: path)
        try plan.write(to: path)
        plan.noteWritten(at: path)
        #expect(try WrapperTree(at: folder["doc"]) == WrapperTree(top))
        #expect(try top.captureForSave().plan(over: path).isEmpty)
    }
}
