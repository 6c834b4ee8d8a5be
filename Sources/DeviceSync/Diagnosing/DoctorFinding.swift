/// Something that is wrong with what keeps folders in step, and what helps.
package struct DoctorFinding: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        // Of the machine.
        case notRunning, beginning, busy, elsewhere, watches
        // Of a folder.
        case folderMissing, readOnly, noRoom, database, deviceFile, notKept
        // Of its hub.
        case shutOut, hubUnreachable, offline, stopped, hubDeed, clock, hubFull
        // Of what is in it.
        case braked, waiting, conflict
        /// Something could not be looked at.
        case unknown
    }

    package var kind: Kind
    /// Nil for the machine.
    package var folder: String?
    /// In a sentence.
    package var text: String
    /// What helps, in a sentence.
    package var remedy: String

    package init(_ kind: Kind, folder: String? = nil, _ text: String, remedy: String) {
        (self.kind, self.folder, self.text, self.remedy) = (kind, folder, text, remedy)
    }
}
