// swift-tools-version: 5.9
import PackageDescription

/// An app's code as written for iOS, in the language modes that apps use. Its three targets share the files in
/// Client, one link each; resources cannot be links.
let modules: [Target.Dependency] = [
    .product(name: "UIKit", package: "sheaf"),
    .product(name: "UniformTypeIdentifiers", package: "sheaf"),
    .product(name: "WebKit", package: "sheaf"),
]

func client(_ mode: String, _ settings: [SwiftSetting]) -> Target {
    .executableTarget(
        name: "Client\(mode)",
        dependencies: modules,
        path: mode,
        resources: [.copy("Resources")],
        swiftSettings: settings + [.unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "UIKit"])]
    )
}

let package = Package(
    name: "iOSClient",
    dependencies: [.package(name: "sheaf", path: "../../..")],
    targets: [
        client("Swift5", []),
        client("Swift6", [.unsafeFlags(["-swift-version", "6"])]),
        client(
            "Swift6MainActor",
            [.unsafeFlags(["-swift-version", "6", "-default-isolation", "MainActor"])]
        ),
        // The program of README.md.
        .executableTarget(
            name: "Readme",
            dependencies: modules,
            path: "Readme",
            swiftSettings: [.unsafeFlags(["-swift-version", "6"])]
        ),
    ],
    swiftLanguageVersions: [.v5]
)
