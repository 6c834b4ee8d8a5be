import TestThreads
import Testing

@testable import FileSystem

@Suite("CopySeries", .onOwnThreads)
struct CopySeriesTests {
    private let series = CopySeries(pauseSecondsMax: 60)

    private func end(_ copy: (Double, Double), _ others: (Double, Double)...) -> Double {
        series.end(
            of: .init(began: copy.0, ended: copy.1),
            among: others.map { .init(began: $0.0, ended: $0.1) }
        )
    }

    @Test("A lone copy is a series of its own")
    func lone() {
        #expect(end((0, 10)) == 10)
        #expect(end((0, 10), (0, 10)) == 10)
    }

    @Test(
        "What follows within the pause goes on with it, in whatever order it is listed, and the next with that"
    )
    func chain() {
        #expect(end((0, 10), (120, 125), (60, 70)) == 125)
        #expect(end((0, 10), (70, 300), (360, 361)) == 361)
        #expect(end((0, 100), (10, 20)) == 100)
    }

    @Test("A longer pause ends it")
    func pause() {
        #expect(end((0, 10), (71, 80)) == 10)
        #expect(end((0, 10), (70, 80), (141, 150)) == 80)
    }

    @Test("What was there before, and is written to all the time, is no part of it")
    func before() {
        #expect(end((100, 110), (0, 10_000)) == 110)
    }
}
