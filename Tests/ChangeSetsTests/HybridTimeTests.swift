import Testing

@testable import ChangeSets

@Suite("HybridTime")
struct HybridTimeTests {
    @Test("A clock that stands still, or is set back, gives later times all the same")
    func monotony() throws {
        var clock = HybridClock()
        let times = try [1000, 1000, 5, 1001].map { try clock.next(milliseconds: $0) }
        #expect(times == times.sorted())
        #expect(Set(times).count == 4)
        #expect(times[3].milliseconds == 1001)
        #expect(times[2].count == 2)
    }

    @Test("What was seen is earlier than what comes next, however far ahead its clock is")
    func observation() throws {
        var clock = HybridClock()
        let far = HybridTime(milliseconds: 1 << 40, count: .max)
        clock.observe(far)
        #expect(try clock.next(milliseconds: 7) > far)
        #expect(clock.last.milliseconds == 1 << 40 + 1)
    }

    @Test("Times out of range are cut to the range")
    func range() {
        #expect(HybridTime(milliseconds: .max).milliseconds == 1 << 45)
        #expect(HybridTime(milliseconds: .max, count: .max).bits < HybridTime.bitsMax)
    }

    @Test("A wall clock that says far too much, in microseconds say, leaves room for all changes to come")
    func microseconds() throws {
        var clock = HybridClock()
        // More than one millisecond has counts for.
        for _ in 0..<70_000 { _ = try clock.next(milliseconds: 1_790_000_000_000_000) }
        #expect(clock.last.bits < HybridTime.bitsMax / 2 + 100_000)
    }

    @Test("After the last time of all there is none, and the clock says so")
    func lastTime() throws {
        var clock = HybridClock()
        clock.observe(HybridTime(bits: HybridTime.bitsMax - 1))
        let last = try clock.next(milliseconds: 1)
        #expect(last.bits == HybridTime.bitsMax)
        #expect { try clock.next(milliseconds: 1) } throws: {
            ($0 as? ChangeSetError)?.code == .beyondLimit
        }
        #expect(clock.last == last)
    }

    @Test("A device's description is read as the device")
    func devices() {
        let device = DeviceID(high: 0xAB, low: .max)
        #expect(device.description == "00000000000000abffffffffffffffff")
        #expect(DeviceID(device.description) == device)
        for text in ["", "ab", "+0000000000000abffffffffffffffff", String(repeating: "g", count: 32)] {
            #expect(DeviceID(text) == nil)
        }
    }
}
