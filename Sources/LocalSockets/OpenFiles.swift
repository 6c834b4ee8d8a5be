internal import Foundation

/// How many files and sockets the process may have open.
package enum OpenFiles {
    private static let wanted: rlim_t = 1 << 17

    /// Raises the limit to what a process with many connections may want, or as far as it goes.
    ///
    /// - Returns: The limit now.
    @discardableResult
    package static func raised() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        // The privileged may raise both; others the one up to the other. Without it the process serves as many as it may.
        var most = rlimit(rlim_cur: wanted, rlim_max: max(wanted, limit.rlim_max))
        if setrlimit(resource, &most) != 0 {
            most = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
            _ = setrlimit(resource, &most)
        }
        getrlimit(resource, &limit)
        return Int(clamping: min(limit.rlim_cur, wanted))
    }
}
