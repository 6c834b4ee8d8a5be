// What an engine is told, and what it has others do.
extension SyncEngine {
    package enum Event: Hashable, Sendable {
        /// The disk has an item, or has it otherwise than before; nil for: it is gone, and that is certain.
        case diskChanged(ItemID, ItemState?)
        /// The disk does not have items any more, and nobody has removed them: they come back from the log. After a start it
        /// comes before `scanned`.
        case vanished(Set<ItemID>)
        /// The contents of items are not here, though the disk has all else of them; what is only theirs is gone from
        /// here.
        case evicted(Set<ItemID>)
        /// The contents of an item are here again.
        case filled(ItemID)
        /// All that is on the disk, after a start: what is not in it is gone.
        case scanned(ItemMap<ItemState>)
        /// Entries of the log, from some position on. Those that are known already do no harm.
        case logRead([LogEntry])
        case commitRefused(Commit.ID, readTo: LogPosition)
        /// A commit was not offered, as contents that it needs are not at the hub, whatever the log says: they can only be sent
        /// anew, or had from a device that has them.
        case commitWithheld(Commit.ID, lacking: Set<ContentName>)
        /// The hub has contents, and keeps them.
        case uploaded(ContentName)
        /// Contents are here now.
        case fetched(ContentName)
        /// The hub does not have contents, or not any more.
        case lost(ContentName)
        /// The item is on the disk as the effect said; a removed one is gone.
        case placed(ItemID)
        /// The disk was not as expected: the item is as this says, and nothing has been done.
        case placeRefused(ItemID, found: ItemState?)
        /// An item of the disk has become another, as the effect said, with all that is in it.
        case became(ItemID, ItemID)
        /// What a merge came to; nil for: it cannot be done without losing something.
        case merged(ItemID, base: ContentName?, ours: ContentName, theirs: ContentName, ContentName?)
        /// There is a line to the hub again. Every answer that was due before has come or never will, and the log has
        /// been read.
        case reconnected
        /// Nothing is to be done about items until they are resumed. After a start it comes before `scanned`.
        case paused(Set<ItemID>)
        /// - dropsLocal: Whether what the log has holds, whatever was done here.
        case resumed(ItemID, dropsLocal: Bool)
        /// What the disk has of a paused item is to be committed once.
        case offered(ItemID)
        /// It is not to be any more.
        case withdrawn(ItemID)
        /// A person has said that what a brake holds is to go on.
        case brakeReleased(SyncBrake.Direction)
        /// A person has said that what a brake holds is not to happen. Leaving: what is gone here, or written over, is got
        /// back from the log. Arriving: what is here is kept, and the log is to have it.
        case brakeUndone(SyncBrake.Direction)
        /// A period has passed: what was removed or replaced in the one before the last counts as a part of a large change no
        /// more. Ten minutes are meant; the engine has no clock, and takes it from whoever has one.
        case periodBegan
        /// A person wants items to be what they were before a large change.
        case wantedBack([ItemID: LargeChange.Former])
    }

    package enum Effect: Hashable, Sendable {
        case upload(ContentName)
        case fetch(ContentName)
        case commit(Commit)
        /// Makes the disk's item so, from nothing, or from what is expected to be there.
        case place(ItemID, ItemState, expecting: ItemState?)
        case remove(ItemID, expecting: ItemState)
        /// Has an item of the disk be known as another from now on, with all that is in it; nothing else of it changes.
        case become(ItemID, ItemID, expecting: ItemState)
        case merge(ItemID, base: ContentName?, ours: ContentName, theirs: ContentName)
    }
}
