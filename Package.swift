// swift-tools-version: 6.2
import PackageDescription

/// Swift 6, strict, and without a warning: for declarations that methods of actors are to implement (`AsyncFilePresenter`
/// says why).
let strictCallingConcurrently: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InferIsolatedConformances"),
]

/// Every other Swift target is built the same way.
let strict: [SwiftSetting] =
    strictCallingConcurrently + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "sheaf",
    products: [
        .library(name: "ChangeSets", targets: ["ChangeSets"]),
        .library(name: "DocumentFoundation", targets: ["DocumentFoundation"]),
        .library(name: "DocumentTesting", targets: ["DocumentTesting"]),
        .library(name: "Merging", targets: ["Merging"]),
        .library(name: "UIKit", targets: ["UIKit", "_Testing_UIKit"]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
        .library(name: "WebKit", targets: ["WebKit"]),
        .executable(name: "sheaf", targets: ["sheaf"]),
    ],
    targets: [
        // Ground: the kernel, C libraries, and what wraps them.
        .target(name: "CLinux"),
        .target(name: "CDynamicInit"),
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .systemLibrary(name: "CWslay"),
        .systemLibrary(
            name: "CLibcrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "CQREncode",
            pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]
        ),
        .target(name: "Locks", swiftSettings: strict),
        .target(name: "Threads", dependencies: ["CLinux", "Locks"], swiftSettings: strict),
        .target(name: "StandardStreams", dependencies: ["Locks"], swiftSettings: strict),
        .target(name: "Cryptography", dependencies: ["CLibcrypto"], swiftSettings: strict),
        .target(name: "QRCodes", dependencies: ["CQREncode"], swiftSettings: strict),
        .target(name: "FileSystem", dependencies: ["CLinux", "Locks", "Threads"], swiftSettings: strict),
        .target(name: "SQLite", dependencies: ["CSQLite", "Locks"], swiftSettings: strict),
        .target(
            name: "Vault",
            dependencies: ["CZstd", "Cryptography", "FileSystem", "Locks", "SQLite", "Threads"],
            swiftSettings: strict
        ),
        .target(name: "HTTPClient", dependencies: ["CCurl", "Locks"], swiftSettings: strict),
        .target(name: "LocalSockets", dependencies: ["CLinux", "Locks", "Threads"], swiftSettings: strict),
        .target(name: "SyncMessages", dependencies: ["FileSystem", "LocalSockets"], swiftSettings: strict),
        .target(
            name: "HTTPService",
            dependencies: ["CLinux", "CMicroHTTPD", "Locks"],
            swiftSettings: strict
        ),
        .target(
            name: "WebHost",
            dependencies: ["CLinux", "CWslay", "Cryptography", "HTTPService", "Locks", "Threads"],
            swiftSettings: strict
        ),
        // Cores: pure decisions.
        .target(name: "Coordination", swiftSettings: strict),
        .target(name: "Shrinking", swiftSettings: strict),
        .target(name: "Sync", swiftSettings: strict),
        .target(name: "HubProtocol", dependencies: ["Cryptography"], swiftSettings: strict),
        .target(
            name: "Sealing",
            dependencies: ["Cryptography", "HubProtocol", "Sync"],
            swiftSettings: strict
        ),
        .target(name: "ChangeSets", swiftSettings: strict),
        .target(name: "Merging", dependencies: ["ChangeSets"], swiftSettings: strict),
        .target(name: "KeyValues", dependencies: ["ChangeSets", "Merging"], swiftSettings: strict),
        .target(
            name: "Agent",
            dependencies: ["Coordination", "LocalSockets", "Locks"],
            swiftSettings: strict
        ),
        .target(
            name: "Hub",
            dependencies: [
                "Cryptography", "FileSystem", "HTTPService", "HubProtocol", "LocalSockets", "Locks", "SQLite",
            ],
            swiftSettings: strict
        ),
        // Documents.
        .target(
            name: "UniformTypeIdentifiers",
            dependencies: ["Locks", "StandardStreams"],
            swiftSettings: strict
        ),
        .target(name: "FilePresenting", swiftSettings: strictCallingConcurrently),
        .target(
            name: "DocumentFoundation",
            dependencies: [
                "Coordination", "Cryptography", "FilePresenting", "FileSystem", "KeyValues",
                "LocalSockets", "Locks", "StandardStreams", "SyncMessages", "Threads",
                "UniformTypeIdentifiers",
                "Vault",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "DocumentMerging",
            dependencies: ["DocumentFoundation", "Locks", "Merging", "UniformTypeIdentifiers"],
            swiftSettings: strict
        ),
        .target(
            name: "DeviceSync",
            dependencies: [
                "Cryptography", "DocumentFoundation", "DocumentMerging", "FileSystem", "HTTPClient",
                "HubProtocol", "KeyValues", "LocalSockets", "Locks", "Merging",
                "SQLite", "Sealing", "StandardStreams", "Sync", "SyncMessages", "Threads", "Vault",
            ],
            swiftSettings: strict
        ),
        // Frameworks.
        .target(
            name: "UIKit",
            dependencies: [
                "CDynamicInit", "Cryptography", "DocumentFoundation", "DocumentMerging", "FileSystem",
                "HTTPService", "LocalSockets", "Locks", "Merging", "StandardStreams", "SyncMessages",
                "Threads", "UniformTypeIdentifiers", "Vault", "WebHost",
            ],
            resources: [.copy("Page")],
            swiftSettings: strict
        ),
        .target(name: "_Testing_UIKit", dependencies: ["UIKit"], swiftSettings: strict),
        .target(name: "WebKit", dependencies: ["UIKit"], swiftSettings: strict),
        .target(
            name: "DocumentTesting",
            dependencies: [
                "Cryptography", "DeviceSync", "DocumentFoundation", "FileSystem", "HubProtocol", "Locks",
                "Merging", "SQLite",
                "Sealing", "Shrinking", "SyncMessages", "UIKit", "UniformTypeIdentifiers",
            ],
            swiftSettings: strict
        ),
        // The command.
        .target(name: "Commands", dependencies: ["Coordination", "StandardStreams"], swiftSettings: strict),
        .executableTarget(
            name: "sheaf",
            dependencies: [
                "Agent", "Commands", "Coordination", "Cryptography", "DeviceSync", "DocumentFoundation",
                "FileSystem", "HTTPService", "Hub", "HubProtocol", "LocalSockets", "Locks", "QRCodes",
                "Sealing",
                "StandardStreams", "Sync", "SyncMessages",
            ],
            swiftSettings: strict
        ),
        // Apps, written and built as one would for iOS.
        .executableTarget(
            name: "Color",
            dependencies: ["UIKit", "WebKit"],
            path: "Apps/Color",
            resources: [.copy("Resources")]
        ),
        .executableTarget(
            name: "Scrapbook",
            dependencies: ["UIKit", "WebKit"],
            path: "Apps/Scrapbook",
            resources: [.copy("Resources")]
        ),
        // Figures.
        .target(name: "CPeers", path: "Benchmarks/CPeers"),
        .executableTarget(
            name: "sheaf-bench",
            dependencies: [
                "Agent", "CPeers", "ChangeSets", "Coordination", "Cryptography", "DocumentFoundation",
                "FileSystem", "HTTPService", "Hub", "HubProtocol", "LocalSockets", "Locks", "Merging",
                "Sealing", "Sync", "UIKit", "Vault",
            ],
            path: "Benchmarks/sheaf-bench",
            swiftSettings: strict
        ),
        // Tests.
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["Cryptography", "Locks"],
            swiftSettings: strict
        ),
        .testTarget(name: "QRCodesTests", dependencies: ["QRCodes"], swiftSettings: strict),
        .testTarget(name: "ShrinkingTests", dependencies: ["Shrinking"], swiftSettings: strict),
        .testTarget(name: "LocksTests", dependencies: ["Locks"], swiftSettings: strict),
        .testTarget(
            name: "StandardStreamsTests",
            dependencies: ["Locks", "StandardStreams"],
            swiftSettings: strict
        ),
        .testTarget(name: "ThreadsTests", dependencies: ["Locks", "Threads"], swiftSettings: strict),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: ["HTTPClient", "HTTPService", "Locks", "TestFolders"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "FileSystemTests",
            dependencies: [
                "CLinux", "CrashHarness", "FileSystem", "Locks", "TestFolders", "TestThreads",
                "Threads", "save-harness",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SeededNumbers",
            path: "Tests/Harnesses/SeededNumbers",
            swiftSettings: strict
        ),
        .target(
            name: "CrashHarness",
            dependencies: ["FileSystem", "Locks", "SeededNumbers"],
            path: "Tests/Harnesses/CrashHarness",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "save-harness",
            dependencies: ["CrashHarness", "FileSystem"],
            path: "Tests/Harnesses/save-harness",
            swiftSettings: strict
        ),
        .target(
            name: "VaultHarness",
            dependencies: ["CrashHarness", "FileSystem", "Locks", "SeededNumbers", "Vault"],
            path: "Tests/Harnesses/VaultHarness",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "vault-harness",
            dependencies: ["CrashHarness", "FileSystem", "VaultHarness"],
            path: "Tests/Harnesses/vault-harness",
            swiftSettings: strict
        ),
        .testTarget(
            name: "VaultTests",
            dependencies: [
                "CLinux", "CrashHarness", "Cryptography", "FileSystem", "Locks", "SQLite", "SeededNumbers",
                "TestThreads", "Vault", "VaultHarness", "vault-harness",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "coordination-harness",
            dependencies: [
                "Agent", "Coordination", "DocumentFoundation", "LocalSockets", "Locks", "SeededNumbers",
            ],
            path: "Tests/Harnesses/coordination-harness",
            swiftSettings: strict
        ),
        .testTarget(
            name: "WebHostTests",
            dependencies: ["Cryptography", "HTTPService", "Locks", "SeededNumbers", "WebHost"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CoordinationTests",
            dependencies: ["ArbiterModel", "Coordination", "SeededNumbers"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ChangeSetsTests",
            dependencies: ["ChangeSets", "SeededNumbers"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "HubProtocolTests",
            dependencies: ["HubProtocol", "SeededNumbers"],
            swiftSettings: strict
        ),
        .target(name: "CFileTrace", path: "Tests/Harnesses/CFileTrace"),
        // Whoever links it may be killed before a change of files that it makes, or has them written down.
        .target(name: "CFileCalls", dependencies: ["CFileTrace"], path: "Tests/Harnesses/CFileCalls"),
        // Whoever links it may have files look as others did.
        .target(name: "CFileGuise", path: "Tests/Harnesses/CFileGuise"),
        // What a disk may hold after a power cut, by what was written down.
        .target(
            name: "TracedDisk",
            dependencies: ["CFileTrace", "CLinux", "FileSystem", "SeededNumbers"],
            path: "Tests/Harnesses/TracedDisk",
            swiftSettings: strict
        ),
        .target(
            name: "DeviceHarness",
            dependencies: [
                "CFileGuise", "CFileTrace", "CLinux", "CrashHarness", "Cryptography", "DeviceSync",
                "DocumentTesting",
                "FileSystem", "HubProtocol", "Locks", "Sealing", "SeededNumbers", "Sync", "SyncMessages",
                "TracedDisk",
            ],
            path: "Tests/Harnesses/DeviceHarness",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "device-harness",
            dependencies: ["CFileCalls", "CrashHarness", "DeviceHarness"],
            path: "Tests/Harnesses/device-harness",
            swiftSettings: strict
        ),
        .target(
            name: "HubHarness",
            dependencies: [
                "CFileTrace", "CrashHarness", "FileSystem", "HTTPService", "Hub", "HubProtocol", "Locks",
                "SeededNumbers", "TracedDisk",
            ],
            path: "Tests/Harnesses/HubHarness",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "hub-harness",
            dependencies: ["CFileCalls", "CFileTrace", "CrashHarness", "HubHarness"],
            path: "Tests/Harnesses/hub-harness",
            swiftSettings: strict
        ),
        .testTarget(
            name: "DocumentMergingTests",
            dependencies: ["DocumentMerging", "Merging", "UniformTypeIdentifiers"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DeviceSyncTests",
            dependencies: [
                "CLinux", "Commands", "CrashHarness", "Cryptography", "DeviceHarness", "DeviceSync",
                "DocumentFoundation",
                "DocumentMerging", "DocumentTesting", "FileSystem", "HTTPService", "Hub", "HubProtocol",
                "LocalSockets", "Locks", "Merging", "SQLite", "Sealing", "SeededNumbers", "StandardStreams",
                "Sync",
                "SyncMessages",
                "TestFolders", "TestThreads", "Threads", "UniformTypeIdentifiers", "Vault", "device-harness",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SealingTests",
            dependencies: ["Cryptography", "HubProtocol", "Sealing", "SeededNumbers", "Sync"],
            resources: [.copy("vectors.json")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "HubTests",
            dependencies: [
                "CrashHarness", "Cryptography", "FileSystem", "HTTPService", "Hub", "HubHarness",
                "HubProtocol", "Locks", "SQLite", "SeededNumbers", "Sync", "TestThreads", "hub-harness",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SyncModel",
            dependencies: ["SeededNumbers", "Shrinking", "Sync"],
            path: "Tests/Harnesses/SyncModel",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "sync-harness",
            dependencies: ["SeededNumbers", "SyncModel"],
            path: "Tests/Harnesses/sync-harness",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "world-harness",
            dependencies: ["DocumentTesting"],
            path: "Tests/Harnesses/world-harness",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SyncTests",
            dependencies: ["SeededNumbers", "Sync", "SyncModel"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "KeyValuesTests",
            dependencies: ["ChangeSets", "KeyValues", "Merging", "SeededNumbers"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergingTests",
            dependencies: ["ChangeSets", "Merging", "SeededNumbers"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CommandsTests",
            dependencies: ["Commands", "Coordination", "SeededNumbers", "StandardStreams"],
            swiftSettings: strict
        ),
        .target(
            name: "ArbiterModel",
            dependencies: ["Coordination", "SeededNumbers", "Shrinking"],
            path: "Tests/Harnesses/ArbiterModel",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "arbiter-harness",
            dependencies: ["ArbiterModel", "Locks"],
            path: "Tests/Harnesses/arbiter-harness",
            swiftSettings: strict
        ),
        // What tests share: folders of their own.
        .target(
            name: "TestFolders",
            dependencies: ["FileSystem"],
            path: "Tests/Harnesses/TestFolders",
            exclude: ["case-blind-volume.py"],
            swiftSettings: strict
        ),
        // What tests share: threads that they may block.
        .target(
            name: "TestThreads",
            dependencies: ["Locks"],
            path: "Tests/Harnesses/TestThreads",
            swiftSettings: strict
        ),
        // Linked into tests that may save documents: their versions are not kept in the user's vault.
        .target(name: "TestSurroundings", path: "Tests/Harnesses/TestSurroundings"),
        .testTarget(
            name: "LocalSocketsTests",
            dependencies: ["LocalSockets", "Locks", "TestThreads", "Threads"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AgentTests",
            dependencies: [
                "Agent", "Coordination", "DocumentFoundation", "LocalSockets", "Locks", "SeededNumbers",
                "TestSurroundings", "TestThreads",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DocumentFoundationTests",
            dependencies: [
                "CLinux", "Coordination", "CrashHarness", "Cryptography", "DocumentFoundation", "FileSystem",
                "KeyValues", "Locks", "Merging", "SeededNumbers", "SyncMessages", "TestFolders",
                "TestSurroundings", "TestThreads", "UniformTypeIdentifiers", "Vault",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "UIKitTests",
            dependencies: [
                "ChangeSets", "Coordination", "DocumentFoundation", "FileSystem", "HTTPService",
                "LocalSockets", "Locks", "Merging", "SeededNumbers", "SyncMessages", "TestFolders",
                "TestSurroundings", "TestThreads", "UIKit", "UniformTypeIdentifiers", "Vault", "WebHost",
                "_Testing_UIKit",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DocumentTestingTests",
            dependencies: [
                "ChangeSets", "DeviceSync", "DocumentFoundation", "DocumentTesting", "FileSystem",
                "HubProtocol", "Locks", "Merging", "Sealing", "SeededNumbers", "SyncMessages",
                "TestSurroundings", "TestThreads", "UIKit", "UniformTypeIdentifiers", "_Testing_UIKit",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WebKitTests",
            dependencies: [
                "HTTPService", "TestSurroundings", "UIKit", "WebHost", "WebKit", "_Testing_UIKit",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "UniformTypeIdentifiersTests",
            dependencies: ["SeededNumbers", "UniformTypeIdentifiers"],
            swiftSettings: strict
        ),
    ]
)
