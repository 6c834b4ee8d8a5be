/// Every declared type, to be found by identifier and by tag.
///
/// 1. Of several declarations of one identifier one holds: the system's if the identifier is reserved (it begins
/// with `public.` or `com.apple.`), else what the app exports, the system's, what the app imports.
/// 2. Types with the same tag are offered in the order: exported by the app, system, imported by the app; within
/// each in the order of declaration.
/// 3. Keys are lower case: identifiers, extensions and MIME types are the same in any case.
/// 4. Conformance may name types that nobody declares, and even go in circles.
struct TypeCatalogue: Sendable {
    private var byIdentifier: [String: TypeDeclaration] = [:]
    private var byTag: [UTTagClass: [String: [String]]] = [:]

    /// Puts the declarations in order.
    ///
    /// - Parameters:
    ///   - system: The system's types, preferred ones first.
    ///   - app: What the app exports and imports, in its order.
    init(system: [TypeDeclaration], app: [TypeDeclaration]) {
        byIdentifier.reserveCapacity(system.count + app.count)
        let exported = app.filter { $0.origin == .exported }
        let imported = app.filter { $0.origin == .imported }
        for declaration in system where Self.isReserved(declaration.identifier) { enter(declaration) }
        for declaration in exported { enter(declaration) }
        for declaration in system where !Self.isReserved(declaration.identifier) { enter(declaration) }
        for declaration in imported { enter(declaration) }
        for declaration in exported + system + imported { enterTags(of: declaration) }
    }

    static func isReserved(_ identifier: String) -> Bool {
        let lowered = identifier.lowercased()
        return lowered.hasPrefix("public.") || lowered.hasPrefix("com.apple.")
    }

    private mutating func enter(_ declaration: TypeDeclaration) {
        let key = declaration.identifier.lowercased()
        if byIdentifier[key] == nil { byIdentifier[key] = declaration }
    }

    private mutating func enterTags(of declaration: TypeDeclaration) {
        // Tags of a declaration that gave way to another one do not count.
        guard byIdentifier[declaration.identifier.lowercased()]?.origin == declaration.origin else { return }
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
        byIdentifier[identifier.lowercased()] ?? DynamicIdentifier.declaration(of: identifier)
    }

    /// The declared types with a tag, preferred one first.
    func identifiers(tag: String, tagClass: UTTagClass, conformingTo supertype: String?) -> [String] {
        let candidates = byTag[tagClass]?[tag.lowercased()] ?? []
        guard let supertype else { return candidates }
        return candidates.filter { conforms($0, to: supertype) }
    }

    /// The identifiers of all types that a type conforms to, directly or not, without its own.
    func supertypes(of identifier: String) -> Set<String> {
        var found: [String: String] = [:]
        var waiting = declaration(of: identifier)?.supertypes ?? []
        while let next = waiting.popLast() {
            let key = next.lowercased()
            guard found[key] == nil, key != identifier.lowercased() else { continue }
            let known = declaration(of: next)
            found[key] = known?.identifier ?? next
            waiting += known?.supertypes ?? []
        }
        return Set(found.values)
    }

    /// Whether a type is another or has it among its supertypes.
    func conforms(_ identifier: String, to supertype: String) -> Bool {
        let wanted = supertype.lowercased()
        guard identifier.lowercased() != wanted else { return true }
        return supertypes(of: identifier).contains { $0.lowercased() == wanted }
    }
}
