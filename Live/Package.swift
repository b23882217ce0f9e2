// swift-tools-version: 6.2.3
import PackageDescription

// The live hub: a package of its own, so that neither the recorder nor whoever uses its libraries comes to need swift-nio.

/// As in the recorder's package.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

// HealthModel is of the same product.
let client = Target.Dependency.product(name: "SensordClient", package: "sensord")
let support = Target.Dependency.product(name: "Support", package: "sensord")
let testSupport = Target.Dependency.product(name: "TestSupport", package: "sensord")

let package = Package(
  name: "sensord-live",
  products: [.executable(name: "sensord-live", targets: ["sensord-live"])],
  dependencies: [
    // The name is needed only because a checkout may lie in a folder that is called otherwise.
    .package(name: "sensord", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  // `Scripts/check-imports` holds the table of what each, and each folder of LiveHub, may import.
  targets: [
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .target(
      name: "LiveHub",
      dependencies: [
        "CMosquitto", client, support, nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
      ],
      resources: [
        "page.html", "overlay.html", "openapi.json", "page.css", "page.js", "words.js", "chart.js", "parts.js",
        "now.js",
        "recordings.js", "overlay.js", "follow.js",
      ].map { .embedInCode("Server/Page/\($0)") }, swiftSettings: rules),
    .executableTarget(
      name: "sensord-live",
      dependencies: [
        "LiveHub", client, nio("NIOCore"), nio("NIOPosix"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: rules),
    .testTarget(
      name: "LiveHubTests", dependencies: ["LiveHub", client, nio("NIOCore"), nio("NIOPosix"), testSupport],
      swiftSettings: rules),
    .testTarget(name: "LiveProgramTests", dependencies: ["sensord-live", testSupport], swiftSettings: rules),
  ]
)
