/// Every declared type, to be found by identifier and by tag.
///
/// 1. Of several declarations of one identifier one holds: the system's if the identifier is reserved, as it
///    begins with `public.` or `com.apple.`; else what the app exports, the system's, what the app imports, what
///    another app has registered.
/// 2. Types with the same tag are offered in the order: exported by the app, system, imported by the app,
///    registered; within each in the order of declaration.
/// 3. Keys are lower case: identifiers, extensions and MIME types are the same in any case.
/// 4. Conformance may name types that nobody declares, and even go in circles.
struct TypeCatalogue: Sendable {
    private struct Entry {
        let declaration: TypeDeclaration
        /// The keys of the types it conforms to directly.
        let parents: [String]

        init(_ declaration: TypeDeclaration) {
            self.declaration = declaration
            parents = declaration.supertypes.map { $0.lowercased() }
        }
    }

    private var byIdentifier: [String: Entry] = [:]
    private var byTag: [UTTagClass: [String: [String]]] = [:]

    /// Puts the declarations in order.
    ///
    /// - Parameters:
    ///   - system: The system's types, preferred ones first.
    ///   - app: What the app exports and imports, in its order.
    ///   - registered: What other apps declare.
    init(system: [TypeDeclaration], app: [TypeDeclaration], registered: [TypeDeclaration] = []) {
        byIdentifier.reserveCapacity(system.count + app.count + registered.count)
        let exported = app.filter { $0.origin == .exported }
        let imported = app.filter { $0.origin == .imported }
        for declaration in system { enter(declaration) }
        for declaration in exported where !holdsForTheSystem(declaration.identifier) {
            byIdentifier[declaration.identifier.lowercased()] = Entry(declaration)
        }
        for declaration in imported + registered { enter(declaration) }
        for declaration in exported + system + imported + registered { enterTags(of: declaration) }
    }

    /// Whether the system declares a type, and nobody else may.
    private func holdsForTheSystem(_ identifier: String) -> Bool {
        let key = identifier.lowercased()
        return byIdentifier[key] != nil && (key.hasPrefix("public.") || key.hasPrefix("com.apple."))
    }

    private mutating func enter(_ declaration: TypeDeclaration) {
        let key = declaration.identifier.lowercased()
        if byIdentifier[key] == nil { byIdentifier[key] = Entry(declaration) }
    }

    private mutating func enterTags(of declaration: TypeDeclaration) {
        // Tags of a declaration that gave way to another one do not count.
        guard byIdentifier[declaration.identifier.lowercased()]?.declaration.origin == declaration.origin
        else {
            return
        }
        for (tagClass, values) in declaration.tags {
            for value in values {
                byTag[tagClass, default: [:]][value.lowercased(), default: []].append(declaration.identifier)
            }
        }
    }

    /// Enters a type that code names without a declaration, unless it is known.
    mutating func adopt(_ identifier: String, conformingTo supertype: String?) {
        var declaration = TypeDeclaration(identifier: identifier, origin: .undeclared)
        declaration.supertypes = supertype.map { [$0] } ?? []
        enter(declaration)
    }

    // MARK: Finding

    /// What is known of a type, declared or dynamic; nil if nothing is.
    func declaration(of identifier: String) -> TypeDeclaration? {
        entry(identifier.lowercased())?.declaration
    }

    private func entry(_ key: String) -> Entry? {
        byIdentifier[key] ?? DynamicIdentifier.declaration(of: key).map(Entry.init)
    }

    /// The declared types with a tag, preferred one first.
    func identifiers(tag: String, tagClass: UTTagClass, conformingTo supertype: String?) -> [String] {
        let candidates = byTag[tagClass]?[tag.lowercased()] ?? []
        guard let supertype else { return candidates }
        return candidates.filter { conforms($0, to: supertype) }
    }

    /// The identifiers of all types that a type conforms to, directly or not, without its own.
    func supertypes(of identifier: String) -> Set<String> {
        let own = identifier.lowercased()
        var found: [String: String] = [:]
        var waiting = entry(own).map { [$0] } ?? []
        while let next = waiting.popLast() {
            for (index, key) in next.parents.enumerated() where key != own && found[key] == nil {
                let parent = entry(key)
                found[key] = parent?.declaration.identifier ?? next.declaration.supertypes[index]
                if let parent { waiting.append(parent) }
            }
        }
        return Set(found.values)
    }

    /// Whether a type is another or has it among its supertypes.
    func conforms(_ identifier: String, to supertype: String) -> Bool {
        let wanted = supertype.lowercased()
        var seen = [identifier.lowercased()]
        var index = 0
        while index < seen.count {
            if seen[index] == wanted { return true }
            for parent in entry(seen[index])?.parents ?? [] where !seen.contains(parent) {
                seen.append(parent)
            }
            index += 1
        }
        return false
    }
}
