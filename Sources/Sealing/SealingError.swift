internal import Cryptography

/// Something could not be sealed or opened. What there was before is as it was.
package struct SealingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, coarse enough to switch over.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind {
            case versionUnknown, generationUnknown, damagedOrExchanged, malformed, beyondLimit
            case signerUnknown, signerRevoked, signatureWrong, listBroken, keyExchanged, mistyped, outOfMemory
        }
        private let kind: Kind

        /// The format came after this one: update.
        package static var versionUnknown: Code { Code(kind: .versionUnknown) }
        /// Sealed under a key that this device has not got, or not yet.
        package static var generationUnknown: Code { Code(kind: .generationUnknown) }
        /// The bytes are not what was sealed, or were sealed as something else than what was asked for.
        package static var damagedOrExchanged: Code { Code(kind: .damagedOrExchanged) }
        /// Whole, but not what the format says.
        package static var malformed: Code { Code(kind: .malformed) }
        /// Larger than may be.
        package static var beyondLimit: Code { Code(kind: .beyondLimit) }
        /// By a device that is not among those that share the container.
        package static var signerUnknown: Code { Code(kind: .signerUnknown) }
        /// By a device that was shut out before.
        package static var signerRevoked: Code { Code(kind: .signerRevoked) }
        /// Not signed by the device that it is said to be of.
        package static var signatureWrong: Code { Code(kind: .signatureWrong) }
        /// A statement about devices that does not follow the one before it, or says what cannot be.
        package static var listBroken: Code { Code(kind: .listBroken) }
        /// A key that is not the one that was announced.
        package static var keyExchanged: Code { Code(kind: .keyExchanged) }
        /// Not typed as it is shown.
        package static var mistyped: Code { Code(kind: .mistyped) }
        /// The library failed.
        package static var outOfMemory: Code { Code(kind: .outOfMemory) }

        package var description: String { "\(kind)" }
    }

    package let code: Code
    /// What it was about and what to do, in a sentence or two.
    package let detail: String

    init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }

    package var description: String { "\(code): \(detail)" }

    static func versionUnknown(_ version: UInt8, _ subject: String) -> SealingError {
        SealingError(
            .versionUnknown,
            """
            \(subject) has version \(version): a later version of Sheaf has made it, or it was altered. Update Sheaf on this device.
            """
        )
    }

    static func generationUnknown(_ generation: UInt32, _ subject: String) -> SealingError {
        SealingError(
            .generationUnknown,
            "\(subject) is sealed under key \(generation), which this device has not got. Fetch its keys anew."
        )
    }

    static func damagedOrExchanged(_ subject: String) -> SealingError {
        SealingError(
            .damagedOrExchanged,
            "\(subject) is damaged, or another one in its place. Fetch it anew, or have a device that has it send it."
        )
    }

    static func malformed(_ subject: String, _ what: String) -> SealingError {
        SealingError(.malformed, "\(subject) is none: \(what).")
    }

    static func beyondLimit(_ what: String, _ limit: Int) -> SealingError {
        SealingError(.beyondLimit, "\(what): at most \(limit).")
    }

    init(_ error: CryptographyError) { self.init(.outOfMemory, error.description) }

    /// Does what only fails for want of memory or randomness.
    static func calling<Value>(
        _ body: () throws(CryptographyError) -> Value
    ) throws(SealingError) -> Value {
        do { return try body() } catch { throw SealingError(error) }
    }
}
