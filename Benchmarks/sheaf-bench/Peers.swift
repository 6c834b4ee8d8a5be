import CPeers
import Foundation

/// The programs ours is measured beside.
enum Peers {
    /// - Returns: Seconds that a bare durable save took.
    static func save(_ data: Data, as name: String, in folder: String) throws -> Double {
        try seconds {
            let result = data.withUnsafeBytes { peer_save(folder, name, $0.baseAddress, $0.count) }
            guard result == 0 else { throw BenchmarkFailure.call("bare save", "\(folder)/\(name)") }
        }
    }

    /// - Returns: Seconds that a walk over all items took.
    static func walk(_ folder: String) throws -> Double {
        try seconds {
            guard peer_walk(folder) > 0 else { throw BenchmarkFailure.call("fts", folder) }
        }
    }

    static func resolve(_ path: String) throws {
        guard peer_resolve(path) == 0 else { throw BenchmarkFailure.call("realpath", path) }
    }

    static func lock(_ file: String) throws {
        guard peer_lock(file) == 0 else { throw BenchmarkFailure.call("flock", file) }
    }

    /// - Returns: Seconds that the program took; nil when there is no such program.
    static func run(_ arguments: String...) throws -> Double? {
        try run(arguments, output: "/dev/null")
    }

    /// - Parameter output: The file that what the program prints goes into.
    static func run(_ arguments: [String], output: String) throws -> Double? {
        var copies: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        copies.append(nil)
        defer { copies.forEach { free($0) } }
        var status: CInt = 0
        let elapsed = seconds { status = peer_run_into(output, copies) }
        if status == -1, errno == ENOENT { return nil }
        guard status == 0 else { throw BenchmarkFailure("\(arguments) ended with \(status)") }
        return elapsed
    }

    /// What another program prints.
    static func output(of program: String, _ arguments: String...) throws -> String {
        let (child, output) = (Process(), Pipe())
        child.executableURL = URL(fileURLWithPath: program)
        child.arguments = arguments
        child.standardOutput = output
        try child.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        guard child.terminationStatus == 0 else {
            throw BenchmarkFailure("\(program) ended with \(child.terminationStatus)")
        }
        return text
    }

    static func peakBytes() throws -> Double {
        let bytes = peer_peak_bytes()
        guard bytes > 0 else { throw BenchmarkFailure.call("reading", "/proc/self/status") }
        return Double(bytes)
    }
}
