import DocumentTesting
import SyncMessages
import Testing

/// Waits until devices hold the same, and have nothing left to do.
func expectSettled(
    _ contents: [String: String],
    on devices: [TestDevice],
    _ location: SourceLocation = #_sourceLocation
) {
    let isSo = devices[0].wait {
        devices.allSatisfy { $0.contents == contents && $0.status?.isSettled == true }
    }
    #expect(
        isSo,
        "\(devices.map(\.contents)); \(devices.map(\.said)); \(devices.map(\.status))",
        sourceLocation: location
    )
}

func end(_ devices: [TestDevice]) {
    for device in devices { device.stop() }
}
