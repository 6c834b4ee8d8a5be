/// What becomes of an object that one device deletes while another, not knowing of it, edits it.
///
/// Whatever the rule, both sides stay visible: the one that lost is among ``Replica/conflicts``.
public enum DeletionRule: Hashable, Sendable {
    /// The object stays, with the edits. Deleting it again, having seen them, deletes it.
    case editWins
    /// The object goes. Adding it again, or editing it having seen the deletion, brings it back.
    case deletionWins
    /// What happened later by the devices' clocks counts.
    case latestWins
}
