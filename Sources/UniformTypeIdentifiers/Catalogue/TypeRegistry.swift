internal import Foundation
internal import Locks

/// The types of this process: state under one lock, read at first use.
///
/// Built outside the lock, since building reads files; two threads that come first at the same time both
/// build, and the first to finish is kept, unless something else is to be read by then.
final class TypeRegistry: Sendable {
    private struct State {
        var catalogue: TypeCatalogue?
        /// How often what had been read came to count no more.
        var age = 0
        var mimeTypes: SharedMIMEDatabase?
        /// What is declared as the running app's beside its Info.plist.
        var declared: [TypeDeclaration] = []
        /// Of what other apps have registered, as it was read.
        var stamp: [Date?] = []
        /// Types that code named without a declaration, with what they conform to, by identifier.
        var adopted: [String: String?] = [:]

        /// Has all be read anew at the next use.
        mutating func drop() {
            catalogue = nil
            age += 1
        }
    }

    /// What `UTType` asks: the system's types, the main app's, those that others have registered, and the shared MIME-info
    /// database.
    static let shared = TypeRegistry(
        appTypes: { AppInfo.main.typeDeclarations },
        registered: .ofThisProcess,
        mimeTypes: { SharedMIMEDatabase.load(environment: ProcessInfo.processInfo.environment) }
    )

    private let state = Locked(State())
    private let appTypes: @Sendable () -> [TypeDeclaration]
    private let registered: RegisteredTypes
    private let loadMIMETypes: @Sendable () -> SharedMIMEDatabase

    init(
        appTypes: @escaping @Sendable () -> [TypeDeclaration],
        registered: RegisteredTypes = RegisteredTypes(environment: [:]),
        mimeTypes: @escaping @Sendable () -> SharedMIMEDatabase
    ) {
        (self.appTypes, self.registered) = (appTypes, registered)
        loadMIMETypes = mimeTypes
    }

    /// Every declared type.
    var catalogue: TypeCatalogue {
        let (known, age, declared) = state.withLock { ($0.catalogue, $0.age, $0.declared) }
        if let known { return known }
        // Before they are read: what is registered meanwhile is read then, or makes another stamp.
        let stamp = registered.stamp
        let built = TypeCatalogue(
            system: SystemTypes.declarations(),
            app: appTypes() + declared,
            registered: registered.load(warn: AppInfo.warn)
        )
        return state.withLock { state in
            if let known = state.catalogue { return known }
            var catalogue = built
            for (identifier, supertype) in state.adopted {
                catalogue.adopt(identifier, conformingTo: supertype)
            }
            // What has come meanwhile is in the next.
            guard state.age == age else { return catalogue }
            // Within a tick of the file system's clock the next could have the same stamp.
            state.stamp =
                stamp.allSatisfy { $0.map { abs($0.timeIntervalSinceNow) > 0.05 } ?? true } ? stamp : []
            state.catalogue = catalogue
            return catalogue
        }
    }

    private var mimeTypes: SharedMIMEDatabase {
        if let known = state.withLock({ $0.mimeTypes }) { return known }
        let loaded = loadMIMETypes()
        return state.withLock { state in
            let kept = state.mimeTypes ?? loaded
            state.mimeTypes = kept
            return kept
        }
    }

    /// Reads the app's types again at the next use.
    func reload() { state.withLock { $0.drop() } }

    /// Has types count as the running app's, from the next use on.
    func declare(_ types: [TypeDeclaration]) {
        state.withLock { state in
            state.declared += types.filter { !state.declared.contains($0) }
            state.drop()
        }
    }

    /// Reads all anew at the next use, if anything has been registered since that was read.
    func refresh() {
        guard state.withLock({ $0.catalogue != nil }) else { return }
        let stamp = registered.stamp
        state.withLock { if $0.stamp != stamp { $0.drop() } }
    }

    /// The types with a tag, as `TypeCatalogue` has it.
    ///
    /// Declared types are found without the MIME database.
    func identifiers(tag: String, tagClass: UTTagClass, conformingTo supertype: String?) -> [String] {
        let catalogue = catalogue
        let declared = catalogue.identifiers(tag: tag, tagClass: tagClass, conformingTo: supertype)
        guard declared.isEmpty else { return declared }
        return catalogue.identifiers(
            tag: tag,
            tagClass: tagClass,
            conformingTo: supertype,
            mimeTypes: mimeTypes
        )
    }

    /// The spelling of an identifier that code names, which from now on is known.
    ///
    /// - Returns: The identifier, and whether nobody declares it and this is the first time that it is named.
    func adopt(_ identifier: String, conformingTo supertype: String?) -> (identifier: String, isNew: Bool) {
        if let known = catalogue.declaration(of: identifier) { return (known.identifier, false) }
        return state.withLock { state in
            let isNew = state.adopted.updateValue(supertype, forKey: identifier) == nil
            state.catalogue?.adopt(identifier, conformingTo: supertype)
            return (identifier, isNew)
        }
    }
}
