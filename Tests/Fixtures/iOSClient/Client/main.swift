import Foundation

Task { @MainActor in
    do {
        try await RoundTrip().run()
        print("ok")
        exit(0)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
}
RunLoop.main.run()
