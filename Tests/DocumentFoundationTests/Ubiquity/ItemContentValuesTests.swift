import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@testable import DocumentFoundation

/// Written as apps write it, with Foundation and our module imported side by side.
@Suite("Resource values about bytes on a volume", .onOwnThreads)
struct ItemContentValuesTests {
    @Test("A clone has its original's number until one of them is written to", arguments: ["xfs", "btrfs"])
    func clones(kind: String) throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: kind) } catch let reason as LoopVolume.Unavailable {
            print("\(kind) not tried: \(reason)")
            return
        }
        let (source, target) = (url("a", volume), url("b", volume))
        try Data(repeating: 7, count: 300_000).write(to: source)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = ["--reflink=always", source.path, target.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let keys: Set<URLResourceKey> = [.mayShareFileContentKey, .fileContentIdentifierKey]
        let (first, second) = (
            try source.resourceValues(forKeys: keys), try target.resourceValues(forKeys: keys)
        )
        let identifier = try #require(first.fileContentIdentifier)
        #expect(second.fileContentIdentifier == identifier)
        #expect(first.mayShareFileContent == true && second.mayShareFileContent == true)
        #expect(Set(first.allValues.keys) == keys)
        #expect(first.allValues[.fileContentIdentifierKey] as? Int64 == identifier)
        #expect(first.allValues[.mayShareFileContentKey] as? Bool == true)
        let handle = try FileHandle(forWritingTo: target)
        try handle.write(contentsOf: Data("x".utf8))
        try handle.close()
        let written = try #require(try target.resourceValues(forKeys: keys).fileContentIdentifier)
        #expect(written != identifier)
        #expect(try source.resourceValues(forKeys: keys).fileContentIdentifier == identifier)
        let folder = try url("", volume).resourceValues(forKeys: keys)
        #expect(folder.mayShareFileContent == nil && folder.fileContentIdentifier == nil)
        #expect(try source.resourceValues(forKeys: [.nameKey]).mayShareFileContent == nil)
        withExtendedLifetime(volume) {}
    }

    @Test("A volume says how large a file can be, and when it was made", arguments: ["ext4", "xfs", "btrfs"])
    func volumes(kind: String) throws {
        // Dates of inodes may be in whole seconds.
        let before = Date(timeIntervalSinceNow: -2)
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: kind) } catch let reason as LoopVolume.Unavailable {
            print("\(kind) not tried: \(reason)")
            return
        }
        let file = url("a", volume)
        try Data().write(to: file)
        let keys: Set<URLResourceKey> = [.volumeMaximumFileSizeKey, .volumeCreationDateKey]
        let values = try file.resourceValues(forKeys: keys)
        let made = try #require(values.volumeCreationDate)
        #expect(made > before && made <= Date())
        // The kernel goes so far in a file, and no further.
        let limit = try #require(values.volumeMaximumFileSize)
        let handle = try FileHandle(forWritingTo: file)
        #expect(lseek(handle.fileDescriptor, limit, SEEK_SET) == limit)
        if limit < .max { #expect(lseek(handle.fileDescriptor, limit + 1, SEEK_SET) == -1) }
        try handle.close()
        #expect(try url("", volume).resourceValues(forKeys: keys).volumeMaximumFileSize == limit)
        withExtendedLifetime(volume) {}
    }

    private func url(_ name: String, _ volume: LoopVolume) -> URL {
        let folder = volume.folder.url(isDirectory: true)
        return name.isEmpty ? folder : folder.appendingPathComponent(name)
    }

    @Test("A file is excluded from backups, and taken in again", .enabled(if: MarkedVolume.isThere))
    func backups() throws {
        let place = try AccountPlace()
        var url = place.base.appendingPathComponent("cache")
        try Data("text".utf8).write(to: url)
        let keys: Set<URLResourceKey> = [.isExcludedFromBackupKey, .contentModificationDateKey]
        #expect(try url.resourceValues(forKeys: keys).isExcludedFromBackup == false)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        values.contentModificationDate = Date(timeIntervalSince1970: 1000)
        try url.setResourceValues(values)
        var read = try url.resourceValues(forKeys: keys)
        #expect(read.isExcludedFromBackup == true)
        #expect(read.allValues[.isExcludedFromBackupKey] as? Bool == true)
        #expect(read.contentModificationDate == Date(timeIntervalSince1970: 1000))
        read.isExcludedFromBackup = false
        #expect(read.isExcludedFromBackup == false)
        #expect(try url.resourceValues(forKeys: keys).isExcludedFromBackup == true)
        try url.setResourceValues(read)
        #expect(try url.resourceValues(forKeys: keys).isExcludedFromBackup == false)
    }

    @Test(
        "A save that puts a new file in place takes the exclusion away, one into the file does not",
        .enabled(if: MarkedVolume.isThere)
    )
    func saves() throws {
        let place = try AccountPlace()
        var url = place.base.appendingPathComponent("a.txt")
        try Data("text".utf8).write(to: url)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
        let keys: Set<URLResourceKey> = [.isExcludedFromBackupKey]
        try Data("other".utf8).write(to: url)
        #expect(try url.resourceValues(forKeys: keys).isExcludedFromBackup == true)
        let save = try StagedSave(item: FilePath(url.path))
        try save.write(Data("new".utf8))
        _ = try save.commit()
        #expect(try url.resourceValues(forKeys: keys).isExcludedFromBackup == false)
    }

    @Test("A volume without such a mark says so, and what helps")
    func unmarked() throws {
        var url = URL(fileURLWithPath: "/proc/version")
        let keys: Set<URLResourceKey> = [.isExcludedFromBackupKey, .fileProtectionKey]
        let read = try url.resourceValues(forKeys: keys)
        #expect(read.isExcludedFromBackup == nil && read.fileProtection == nil && read.allValues.isEmpty)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        do {
            try url.setResourceValues(values)
            Issue.record("it was marked")
        } catch let error as CocoaError {
            #expect(error.code == .fileWriteUnknown)
            let information = (error as NSError).userInfo
            #expect(information[NSURLErrorKey] as? URL == url)
            let cause = information[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.domain == NSPOSIXErrorDomain)
            #expect((information[NSLocalizedDescriptionKey] as? String)?.contains("“version”") == true)
            let remedy = information[NSLocalizedRecoverySuggestionErrorKey] as? String
            #expect(remedy?.contains("backups") == true)
        }
        values.isExcludedFromBackup = false
        try url.setResourceValues(values)
    }

    @Test("What is not there cannot be excluded")
    func absent() throws {
        let place = try AccountPlace()
        var url = place.base.appendingPathComponent("absent")
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        do {
            try url.setResourceValues(values)
            Issue.record("it was marked")
        } catch let error as CocoaError { #expect(error.code == .fileNoSuchFile) }
    }
}

private enum MarkedVolume {
    /// Whether the volume of temporary files keeps flags for what is on it.
    static var isThere: Bool {
        // What is not there keeps none.
        let folder = try? FilePath(FileManager.default.temporaryDirectory.path).resolved()
        return folder.flatMap { BackupExclusion.isMarked($0) } != nil
    }
}
