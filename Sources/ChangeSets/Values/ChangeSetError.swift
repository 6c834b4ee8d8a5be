/// Change sets could not be made, read or applied. What was there before is as it was.
public struct ChangeSetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, coarse enough to switch over.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind { case malformed, versionUnknown, beyondLimit, deviceUsedTwice, objectMissing }
        private let kind: Kind

        /// The bytes are not what the format says.
        public static var malformed: Code { Code(kind: .malformed) }
        /// The bytes are of a version that came after this one.
        public static var versionUnknown: Code { Code(kind: .versionUnknown) }
        /// A name, a value or a number is larger than it may be.
        public static var beyondLimit: Code { Code(kind: .beyondLimit) }
        /// Two copies of the data made changes under one device's id.
        public static var deviceUsedTwice: Code { Code(kind: .deviceUsedTwice) }
        /// There is no object of this id.
        public static var objectMissing: Code { Code(kind: .objectMissing) }

        /// The code's name.
        public var description: String { "\(kind)" }
    }

    /// What failed.
    public let code: Code
    /// What it was about and what to do, in one sentence.
    public let detail: String

    /// The code and the sentence.
    public var description: String { "\(code): \(detail)" }

    static func malformed(_ what: String) -> ChangeSetError {
        ChangeSetError(
            code: .malformed,
            detail: "The bytes are no change sets: \(what). Ask the sender again."
        )
    }

    static func beyondLimit(_ what: String, _ limit: Int) -> ChangeSetError {
        ChangeSetError(code: .beyondLimit, detail: "\(what): at most \(limit).")
    }

    static func versionUnknown(_ version: UInt8) -> ChangeSetError {
        ChangeSetError(
            code: .versionUnknown,
            detail: "The change sets are of version \(version): update the app to read them."
        )
    }

    static func deviceUsedTwice(_ device: DeviceID, _ sequence: UInt64) -> ChangeSetError {
        ChangeSetError(
            code: .deviceUsedTwice,
            detail:
                "Two changes are number \(sequence) of device \(device): give one copy of the data a new id."
        )
    }

    static func objectMissing(_ type: String, _ id: String) -> ChangeSetError {
        ChangeSetError(
            code: .objectMissing,
            detail: "There is no \(type) \(id): add it before it is changed."
        )
    }
}
