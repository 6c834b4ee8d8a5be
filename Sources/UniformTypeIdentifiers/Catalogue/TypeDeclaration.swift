/// What is known about one type.
package struct TypeDeclaration: Hashable, Sendable {
    /// Who says so.
    package enum Origin: Hashable, Sendable {
        /// The system's table.
        case system
        /// The app, as the authority for its own type.
        case exported
        /// The app, for a type of somebody else.
        case imported
        /// Another app of this account or machine.
        case registered
        /// The app's code, without a declaration.
        case undeclared
        /// The identifier itself.
        case dynamic
    }

    /// Its name, spelled as declared.
    ///
    /// Identifiers that differ in case only are the same.
    package var identifier: String
    package var origin: Origin
    /// The identifiers of the types it conforms to directly.
    package var supertypes: [String] = []
    /// Tags by tag class, each class's preferred one first; no class has an empty list.
    package private(set) var tags: [UTTagClass: [String]] = [:]
    /// What people call it, in the developer's language.
    package var typeDescription: String?
    /// Where its format is described.
    package var referenceURL: String?
    package var version: Int?

    package init(identifier: String, origin: Origin) {
        self.identifier = identifier
        self.origin = origin
    }

    /// Sets the tags of a class, preferred one first; none takes the class out.
    package mutating func setTags(_ values: [String], class tagClass: UTTagClass) {
        tags[tagClass] = values.isEmpty ? nil : values
    }
}
