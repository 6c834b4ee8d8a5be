internal import CLinux
internal import Foundation

/// A program that outlives who starts it.
package enum DetachedProgram {
    /// Starts a program in a session of its own, with nothing of ours open in it.
    ///
    /// It is no child of this process: nobody has to wait for its end.
    ///
    /// - Parameters:
    ///   - path: The program's path.
    ///   - environment: All of its environment.
    package static func start(
        _ path: String,
        _ arguments: [String],
        environment: [String: String]
    ) throws(SocketError) {
        // The shell starts it and exits at once, so that it is the system's child and no zombie of ours.
        let shell = ["/bin/sh", "-c", "\"$0\" \"$@\" &", path] + arguments
        let process = withStrings(shell) { shell in
            withStrings(environment.map { "\($0)=\($1)" }) { environment in
                cdoc_spawn_detached("/bin/sh", shell, environment)
            }
        }
        guard process > 0 else { throw SocketError(call: "posix_spawn", errno: errno, path: path) }
        var status: CInt = 0
        do {
            _ = try SocketCalls.check("waitpid", path) { waitpid(process, &status, 0) }
        } catch {
            // Somebody reaps all children of this process: then it has ended, which is all that is asked.
            if error.errno != ECHILD { throw error }
        }
    }

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("a list that ends with a null has an address")
            }
            return body(start)
        }
    }
}
