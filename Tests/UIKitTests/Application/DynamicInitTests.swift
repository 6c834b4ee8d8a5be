import Foundation
import Testing

@testable import UIKit

private class Plain: NSObject {
    let value = 7
}

private final class OwnInit: UIResponder {
    let value: Int

    override init() {
        value = 42
        super.init()
    }
}

private class DelegateLike: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    lazy var things = ["one"]
}

private final class Below: DelegateLike {
    private(set) var wasMade = false

    override init() {
        super.init()
        wasMade = true
    }
}

private final class NeedsArgument: NSObject {
    let value: Int

    init(value: Int) {
        self.value = value
        super.init()
    }
}

private final class CountsLives: NSObject {
    nonisolated(unsafe) static var ends = 0  // one test touches it

    deinit { Self.ends += 1 }
}

@Suite("DynamicInit")
@MainActor
struct DynamicInitTests {
    @Test("A class that declares no initializer is made with its values")
    func plain() throws {
        let made = try #require(DynamicInit.make(Plain.self) as? Plain)
        #expect(type(of: made) == Plain.self)
        #expect(made.value == 7)
    }

    @Test("A class's own init is the one that runs")
    func ownInit() throws {
        let made = try #require(DynamicInit.make(OwnInit.self) as? OwnInit)
        #expect(made.value == 42)
    }

    @Test("A responder declared as app delegates are is made, and so is a subclass of it")
    func responder() throws {
        let made = try #require(DynamicInit.make(DelegateLike.self) as? any UIApplicationDelegate)
        #expect(made.window == nil)
        let below = try #require(DynamicInit.make(Below.self) as? Below)
        #expect(below.wasMade)
        #expect(below.things == ["one"])
    }

    @Test("The object is owned once: it goes when it is let go")
    func ownership() {
        do {
            let made = DynamicInit.make(CountsLives.self)
            #expect(made != nil)
            #expect(CountsLives.ends == 0)
        }
        #expect(CountsLives.ends == 1)
    }

    @Test("A class that cannot be made without arguments ends the program")
    func impossible() async {
        await #expect(processExitsWith: .failure) {
            _ = DynamicInit.make(NeedsArgument.self)
        }
    }
}
