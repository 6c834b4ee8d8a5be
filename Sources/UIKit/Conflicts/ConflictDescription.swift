internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Merging

/// What a person is shown to choose by: each version, who made it and when, and how it differs.
struct ConflictDescription: Sendable {
    /// One version, or the merge of all.
    struct Version: Sendable {
        /// Names it in the answer; empty for the document.
        var name = ""
        var modified: Date?
        /// Who wrote it, and on which device.
        var writer = ""
        var device = ""
        var byteCount: UInt64?
        /// A text, against the other one; nil for what is none.
        var text: [Stretch]?
        /// A package's members that are not the same in the other one; nil for what is none.
        var members: [Member]?
        /// The address of a picture; nil for what is none.
        var picture: String?
        /// Of a merge: in how many places two have changed the same.
        var conflictCount = 0
    }

    /// Lines of a text; long ones that are the same are left out but for their ends.
    struct Stretch: Sendable {
        var text: String
        var isSame: Bool
        /// How many lines were left out here.
        var omittedCount = 0
    }

    struct Member: Sendable {
        var name: String
        /// Whether the other one has none of this name.
        var isOnlyHere: Bool
        /// The address of a picture; nil for what is none.
        var picture: String?
    }

    var mine: Version
    /// The oldest first.
    var others: [Version]
    /// Nil where a merge comes to nothing new.
    var merged: Version?

    /// As the page gets it.
    var message: [String: Any] {
        var message: [String: Any] = ["mine": mine.message, "others": others.map(\.message)]
        message["merged"] = merged?.message
        return message
    }
}

extension ConflictDescription.Version {
    fileprivate var message: [String: Any] {
        var message: [String: Any] = [
            "name": name, "writer": writer, "device": device, "conflicts": conflictCount,
        ]
        message["modified"] = modified.map { ($0.timeIntervalSince1970 * 1000).rounded() }
        message["size"] = byteCount.map { Int($0) }
        message["text"] = text?.map { ["text": $0.text, "same": $0.isSame, "omitted": $0.omittedCount] }
        message["picture"] = picture
        message["members"] = members?.map { member -> [String: Any] in
            var message: [String: Any] = ["name": member.name, "only": member.isOnlyHere]
            message["picture"] = member.picture
            return message
        }
        return message
    }

    /// Describes how contents differ from others.
    mutating func compare(_ contents: Any, with other: Any, _ pictures: inout ConflictPictures) {
        switch (contents, other) {
        case (let contents as Data, let other as Data):
            byteCount = UInt64(contents.count)
            text = Self.stretches(contents, other)
            picture = pictures.address(of: contents)
        case (let contents as FileWrapper, let other as FileWrapper):
            members = Self.members(contents, other, &pictures)
        default: break
        }
    }

    /// More than this nobody reads in a dialog.
    private static let textByteCountMax = 256 * 1024
    /// How many lines that are the same are shown next to others.
    private static let contextLineCount = 3
    /// How many lines are shown in all.
    private static let lineCountMax = 400

    private static func stretches(_ contents: Data, _ other: Data) -> [ConflictDescription.Stretch]? {
        guard [contents, other].allSatisfy(isText) else { return nil }
        let all = LineDifference(mine: Array(contents), theirs: Array(other)).stretches
        var shown: [ConflictDescription.Stretch] = []
        var room = lineCountMax
        for (index, stretch) in all.enumerated() {
            let lines = stretch.mine.split(separator: "\n", omittingEmptySubsequences: false)
            let isEnded = stretch.mine.hasSuffix("\n")
            let texts = (isEnded ? lines.dropLast().map { $0 + "\n" } : lines.map { "\($0)" })
            let head = !stretch.isSame ? texts.count : index == 0 ? 0 : contextLineCount
            let tail = !stretch.isSame ? 0 : index == all.count - 1 ? 0 : contextLineCount
            if texts.count <= head + tail || !stretch.isSame && texts.count <= room {
                shown.append(.init(text: stretch.mine, isSame: stretch.isSame))
                room -= texts.count
            } else {
                let first = min(head, max(room, 0))
                shown.append(
                    .init(
                        text: texts.prefix(first).joined(),
                        isSame: stretch.isSame,
                        omittedCount: texts.count - first - tail
                    )
                )
                if tail > 0 { shown.append(.init(text: texts.suffix(tail).joined(), isSame: true)) }
                room -= first + tail
            }
        }
        return shown
    }

    private static func isText(_ data: Data) -> Bool {
        data.count <= textByteCountMax && !data.contains(0) && String(validating: data, as: UTF8.self) != nil
    }

    /// How many names are listed.
    private static let memberCountMax = 100

    private static func members(
        _ tree: FileWrapper,
        _ other: FileWrapper,
        _ pictures: inout ConflictPictures,
        in folder: String = ""
    ) -> [ConflictDescription.Member] {
        let (own, theirs) = (tree.fileWrappers ?? [:], other.fileWrappers ?? [:])
        var members: [ConflictDescription.Member] = []
        func add(_ name: String, _ member: FileWrapper, isOnlyHere: Bool) {
            let contents = member.isRegularFile ? member.bytes(atMost: ConflictPictures.byteCountMax) : nil
            let picture = contents.flatMap { pictures.address(of: $0) }
            members.append(.init(name: folder + name, isOnlyHere: isOnlyHere, picture: picture))
        }
        for (name, member) in own.sorted(by: { $0.key < $1.key }) where members.count < memberCountMax {
            guard let its = theirs[name] else {
                add(name, member, isOnlyHere: true)
                continue
            }
            if member === its { continue }
            if member.isDirectory, its.isDirectory {
                members += Self.members(member, its, &pictures, in: folder + name + "/")
            } else if !member.holdsSame(as: its) {
                add(name, member, isOnlyHere: false)
            }
        }
        return members
    }
}

extension UIDocument {
    /// Looks at all versions in conflict, for a person to choose.
    ///
    /// - Throws: When one cannot be read.
    func conflictDescription() async throws -> ConflictDescription {
        // What does not merge is not offered; the versions are shown all the same.
        let merge = try? await mergeOfConflicts(forLooking: true)
        let mine = try merge?.mine ?? takeMine()
        let modified = hasUnsavedChanges ? Date() : fileModificationDate
        let versions = unsettled.versions
        return try await withCheckedThrowingContinuation { continuation in
            fileAccess.queue.async { [self] in
                continuation.resume(
                    with: Result { try describe(versions, mine, merge, modified: modified) }
                )
            }
        }
    }

    private nonisolated func describe(
        _ versions: [NSFileVersion],
        _ own: OwnVersion,
        _ merge: ConflictMerge?,
        modified: Date?
    ) throws -> ConflictDescription {
        fileAccess.confined()
        let contents = try versions.map { try fileAccess.peek(at: $0.url).contents }
        let mine = own.contents.value
        var pictures = ConflictPictures()
        var description = ConflictDescription(mine: .init(modified: modified), others: [])
        // The latest is the one that the document is held against.
        if let latest = contents.last { description.mine.compare(mine, with: latest, &pictures) }
        description.others = zip(versions, contents).map { version, contents in
            var other = ConflictDescription.Version(
                name: version.name ?? "",
                modified: version.modificationDate,
                writer: version.writerName ?? "",
                device: version.localizedNameOfSavingComputer ?? "",
                byteCount: version.byteCount
            )
            other.compare(contents, with: mine, &pictures)
            return other
        }
        if let merge, merge.isNew {
            var merged = ConflictDescription.Version(conflictCount: merge.conflictCount)
            merged.compare(merge.outcome.contents.value, with: mine, &pictures)
            description.merged = merged
        }
        return description
    }
}
