import Testing

@testable import DeviceSync

/// When it is worth while to give room back.
@Suite("Former room")
struct FormerRoomTests {
    @Test("It is once there is so much, and not while it is being done")
    func threshold() {
        var room = FormerRoom()
        room.add(100)
        // What each version takes beside what it holds counts, too.
        #expect(!room.isWorthWhile(20_000))
        room.add(4_000)
        #expect(room.isWorthWhile(20_000))
        room.begin()
        room.add(50_000)
        #expect(!room.isWorthWhile(20_000))
        room.end(isDone: true, threshold: 20_000)
        #expect(room.isWorthWhile(20_000))
        #expect(room.byteCount == 50_000 + 16_384)
    }

    @Test("What failed counts as before, and is tried again when all is in step anew, or with as much more")
    func failed() {
        var room = FormerRoom(byteCount: 30_000)
        room.begin()
        #expect(room.byteCount == 0 && room.rememberedByteCount == 30_000)
        room.end(isDone: false, threshold: 20_000)
        #expect(room.byteCount == 30_000)
        #expect(!room.isWorthWhile(20_000))
        var other = room
        other.noteInStep()
        #expect(other.isWorthWhile(20_000))
        room.add(20_000)
        #expect(room.isWorthWhile(20_000))
    }

    @Test("A hub without room is told the first time, and then each so many attempts")
    func attempts() {
        var room = FormerRoom()
        var told: [Int] = []
        for attempt in stride(from: 6, through: 60, by: 6) where room.isDue(at: attempt, gap: 20) {
            told.append(attempt)
            room.begin()
            let isDueMeanwhile = room.isDue(at: attempt + 20, gap: 20)
            #expect(!isDueMeanwhile)
            room.end(isDone: true, threshold: 1)
        }
        #expect(told == [6, 30, 54])
    }

    @Test("Sizes that somebody has made up are no more than all there is")
    func madeUp() {
        var room = FormerRoom()
        for _ in 0..<2 { room.add(.max) }
        #expect(room.byteCount == .max)
        room.begin()
        room.add(1)
        room.end(isDone: false, threshold: .max)
        #expect(room.byteCount == .max && room.rememberedByteCount == .max)
    }
}
