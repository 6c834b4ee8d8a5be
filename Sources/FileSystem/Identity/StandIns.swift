/// Files that stand for items whose contents are elsewhere, each beside where its item would be and bearing its mark.
///
/// Who makes them says which files these are.
package struct StandIns: Sendable {
    /// Where what stands for an item would be; nil where nothing can.
    package let place: @Sendable (_ item: FilePath) -> FilePath?
    /// The item that the file at a place stands for; nil for any other file, and for none.
    package let item: @Sendable (_ place: FilePath) -> FilePath?

    package init(
        place: @escaping @Sendable (_ item: FilePath) -> FilePath?,
        item: @escaping @Sendable (_ place: FilePath) -> FilePath?
    ) {
        (self.place, self.item) = (place, item)
    }

    /// Nothing stands for anything.
    package static let none = StandIns(place: { _ in nil }, item: { _ in nil })

    /// The identity of what stands for an item: with the item's mark, and said to be of the item's kind, as a file stands
    /// for a folder too. Nil where nothing does, and where the item's place is taken: then nobody gets to it there.
    package func identity(standingFor item: FilePath, as kind: FileStamp.Kind) -> FileIdentity? {
        guard kind == .regular || kind == .directory, let place = place(item), self.item(place) == item,
            isFree(item),
            // Gone since, or closed to us: it stands for nothing.
            var identity = try? FileIdentity(of: place)
        else { return nil }
        identity.kind = kind
        return identity
    }

    private func isFree(_ item: FilePath) -> Bool {
        // What cannot be looked at may be there.
        do { return try FileStamp.ifPresent(at: item) == nil } catch { return false }
    }
}
