// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built the same way: Swift 6, strict, and without a warning.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "sheaf",
    products: [
        .library(name: "DocumentFoundation", targets: ["DocumentFoundation"]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
    ],
    targets: [
        // Ground: the kernel, C libraries, and what wraps them.
        .target(name: "CLinux"),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CWslay", pkgConfig: "libwslay", providers: [.apt(["libwslay-dev"])]),
        .target(name: "Locks", swiftSettings: strict),
        .target(name: "FileSystem", dependencies: ["CLinux", "Locks"], swiftSettings: strict),
        .target(
            name: "WebHost", dependencies: ["CLinux", "CMicroHTTPD", "CWslay", "Locks"], swiftSettings: strict),
        // Cores: pure decisions.
        .target(name: "Coordination", swiftSettings: strict),
        // Documents.
        .target(
            name: "DocumentFoundation", dependencies: ["Coordination", "FileSystem", "Locks"],
            swiftSettings: strict),
        .target(name: "UniformTypeIdentifiers", dependencies: ["Locks"], swiftSettings: strict),
        // Apps.
        .target(
            name: "UIKit",
            dependencies: ["DocumentFoundation", "FileSystem", "Locks", "UniformTypeIdentifiers", "WebHost"],
            swiftSettings: strict),
        // Tests.
        .testTarget(name: "LocksTests", dependencies: ["Locks"], swiftSettings: strict),
        .testTarget(
            name: "FileSystemTests", dependencies: ["CLinux", "CrashHarness", "FileSystem", "Locks", "save-harness"],
            swiftSettings: strict),
        .target(
            name: "CrashHarness", dependencies: ["FileSystem", "Locks"],
            path: "Tests/Harnesses/CrashHarness", swiftSettings: strict),
        .executableTarget(
            name: "save-harness", dependencies: ["CrashHarness"], path: "Tests/Harnesses/save-harness",
            swiftSettings: strict),
        .testTarget(name: "WebHostTests", dependencies: ["WebHost"], swiftSettings: strict),
        .testTarget(name: "CoordinationTests", dependencies: ["Coordination"], swiftSettings: strict),
        .testTarget(
            name: "DocumentFoundationTests", dependencies: ["DocumentFoundation", "FileSystem"],
            swiftSettings: strict),
        .testTarget(
            name: "UIKitTests", dependencies: ["DocumentFoundation", "FileSystem", "UIKit"],
            swiftSettings: strict),
        .testTarget(
            name: "UniformTypeIdentifiersTests", dependencies: ["UniformTypeIdentifiers"],
            swiftSettings: strict),
    ]
)
