import Testing

@testable import ChangeSets

@Suite("HybridTime")
struct HybridTimeTests {
    @Test("A clock that stands still, or is set back, gives later times all the same")
    func monotony() {
        var clock = HybridClock()
        let times = [1000, 1000, 5, 1001].map { clock.next(milliseconds: $0) }
        #expect(times == times.sorted())
        #expect(Set(times).count == 4)
        #expect(times[3].milliseconds == 1001)
        #expect(times[2].count == 2)
    }

    @Test("What was seen is earlier than what comes next, however far ahead its clock is")
    func observation() {
        var clock = HybridClock()
        let far = HybridTime(milliseconds: 1 << 40, count: .max)
        clock.observe(far)
        #expect(clock.next(milliseconds: 7) > far)
        #expect(clock.last.milliseconds == 1 << 40 + 1)
    }

    @Test("Times out of range are cut to the range")
    func range() {
        #expect(HybridTime(milliseconds: .max).milliseconds == 1 << 47 - 1)
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
