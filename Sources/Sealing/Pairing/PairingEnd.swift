/// Why a pairing came to nothing. Neither side has got anything of the other's then, unless all had been sent and only
/// the receipt was lost.
package enum PairingEnd: Hashable, Sendable, CustomStringConvertible {
    /// What was typed is not what the first device shows.
    case wrongCode
    /// A person said that the phrases are not the same.
    case differentPhrases
    /// A person on this device, or on the other one, has stopped it.
    case cancelled
    /// It took longer than pairings live.
    case timedOut
    /// A message that does not belong where it came: exchanged, left out, put in again altered, or of a third device.
    case interfered
    /// A message that is none, or of another version.
    case malformed(SealingError)

    /// What it is, and what to do, in a sentence or two.
    package var description: String {
        switch self {
        case .wrongCode: "The code was not the one that the first device shows. Begin again there."
        case .differentPhrases:
            "The phrases were not the same: somebody is between the devices. Begin again over another network."
        case .cancelled: "Pairing was stopped on one of the devices."
        case .timedOut: "Pairing took too long. Begin again on the first device."
        case .interfered:
            "The messages were altered on their way. Begin again; if it happens twice, mistrust the hub."
        case .malformed(let error): "The other device was not understood. \(error.detail)"
        }
    }

    /// The number that tells the other side.
    var byte: UInt8 {
        switch self {
        case .wrongCode: 1
        case .differentPhrases: 2
        case .cancelled: 3
        case .timedOut: 4
        case .interfered, .malformed: 5
        }
    }

    init(byte: UInt8) {
        self =
            switch byte {
            case 1: .wrongCode
            case 2: .differentPhrases
            case 3: .cancelled
            case 4: .timedOut
            default: .interfered
            }
    }
}
