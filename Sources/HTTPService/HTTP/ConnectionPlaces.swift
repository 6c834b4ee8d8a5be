/// How many connections a server has, and which kind the next one is.
///
/// What a connection once had for a body it keeps as long as it stands, although most stand only to wait for news. So only
/// the first that come, `roomyCountMax` of them at a time, have the memory that makes long bodies quick; with few connections
/// these are all, and with many the others cost little.
struct ConnectionPlaces {
    /// How much memory a connection gets.
    enum Kind: CaseIterable { case roomy, narrow }

    /// Connections of either kind together, at most.
    private let countMax: Int
    private let roomyCountMax: Int
    private var roomyCount = 0
    private var narrowCount = 0

    /// Nobody is connected.
    init(countMax: Int, roomyCountMax: Int) {
        (self.countMax, self.roomyCountMax) = (countMax, roomyCountMax)
    }

    /// Whether another connection can be taken.
    var isFull: Bool { roomyCount + narrowCount >= countMax }

    /// A connection is taken: its kind; nil when all places are taken.
    mutating func take() -> Kind? {
        guard !isFull else { return nil }
        guard roomyCount < roomyCountMax else {
            narrowCount += 1
            return .narrow
        }
        roomyCount += 1
        return .roomy
    }

    /// A connection is no longer there.
    mutating func giveBack(_ kind: Kind) {
        switch kind {
        case .roomy: roomyCount -= 1
        case .narrow: narrowCount -= 1
        }
    }
}
