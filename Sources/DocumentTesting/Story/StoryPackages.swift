internal import Foundation
internal import Locks

/// Looks at packages of which it is known when they are whole, as any program may at any time.
enum StoryPackages {
    /// Why a package is half.
    ///
    /// - Parameters:
    ///   - path: Of a folder.
    ///   - members: What is in it, alike, below it.
    /// - Returns: Nil for one that is whole, or is not there, or was another one before all of it was read.
    static func whatIsHalf(at path: String, members: [String]) -> String? {
        found(at: path) { folder in
            let contents = members.map { read($0, in: folder) }
            if let first = contents[0], contents.allSatisfy({ $0 == first }) { return nil }
            let states = zip(members, contents).map { member, content in
                let line = content.map { $0.prefix { $0 != UInt8(ascii: "\n") } }
                let text = line.map { String(decoding: $0, as: UTF8.self) }
                return "\(member) has \(text.map { "“\($0)”" } ?? "nothing")"
            }
            return "“\(path)” is half: \(states.joined(separator: ", "))"
        }
    }

    /// Why a package is half, of which its kind tells.
    ///
    /// - Returns: As above.
    static func whatIsHalf(at path: String, isWhole: (URL) -> Bool) -> String? {
        found(at: path) { _ in
            if isWhole(URL(fileURLWithPath: path, isDirectory: true)) { return nil }
            return "“\(path)” is half, as its kind says"
        }
    }

    /// What a look at a folder has found; nil where it is not there, or was another one before the look had ended.
    private static func found(at path: String, _ look: (CInt) -> String?) -> String? {
        // Open, it keeps its number, which no other folder can get meanwhile.
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        guard let found = look(folder) else { return nil }
        var (opened, now) = (stat(), stat())
        guard fstat(folder, &opened) == 0, lstat(path, &now) == 0, opened.st_ino == now.st_ino,
            opened.st_dev == now.st_dev
        else { return nil }
        return found
    }

    private static func read(_ member: String, in folder: CInt) -> [UInt8]? {
        let file = openat(folder, member, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 14))
        while true {
            let count = Foundation.read(file, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
    }

    /// All packages of a kind in a folder.
    static func paths(in folder: URL, named nameExtension: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)
        var found: [String] = []
        while let name = names?.nextObject() as? String {
            guard name.hasSuffix(".\(nameExtension)"), !name.contains(".sheaf-") else { continue }
            names?.skipDescendants()
            found.append(folder.appendingPathComponent(name).path)
        }
        return found
    }
}

/// Looks at all packages of a world again and again, until it is ended, and notes which are half.
///
/// State: what it has found, under a lock; it looks on a queue of its own.
final class StoryWatch: Sendable {
    private struct State {
        var found: Set<String> = []
        var lookCount = 0
        var isEnded = false
    }

    private let state = Locked(State())
    private let folders: [URL]
    private let kinds: [StoryKind]
    private let queue = DispatchQueue(label: "sheaf.story-watch")
    /// Between two looks.
    private static let pause = DispatchTimeInterval.milliseconds(3)

    init(_ folders: [URL], _ kinds: [StoryKind]) {
        self.folders = folders
        self.kinds = kinds.filter(\.isChecked)
        queue.async { self.goOn() }
    }

    private func goOn() {
        guard !state.withLock({ $0.isEnded }) else { return }
        for kind in kinds { for folder in folders { look(kind, in: folder) } }
        queue.asyncAfter(deadline: .now() + Self.pause) { self.goOn() }
    }

    private func look(_ kind: StoryKind, in folder: URL) {
        for path in StoryPackages.paths(in: folder, named: kind.nameExtension) {
            let half = kind.whatIsHalf(at: path)
            state.withLock { state in
                state.lookCount += 1
                if let half { state.found.insert(half) }
            }
        }
    }

    /// How often it has looked at a package.
    var lookCount: Int { state.withLock { $0.lookCount } }

    /// - Returns: What was half at some time.
    func end() -> [String] {
        state.withLock { state in
            state.isEnded = true
            return state.found.sorted()
        }
    }
}
