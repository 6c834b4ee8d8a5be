internal import CLibcrypto

/// What libcrypto keeps for the process.
package enum LibraryState {
    /// Has it stay until the process has ended. By itself libcrypto takes it down in exit(3), under threads that are still at work:
    /// a program that ends while something is being read would end by a signal.
    ///
    /// To be called before anything else of this target is used, or of another library that uses libcrypto.
    package static func keepToTheEnd() {
        // It fails for want of memory only: then all else of it fails, too, and says so.
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
