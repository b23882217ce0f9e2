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

let support = Target.Dependency.product(name: "TestSupport", package: "sensord")

/// `Scripts/check-imports` holds the table of what each may import.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: rules)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: rules)
}

let package = Package(
  name: "sensord-live",
  products: [.executable(name: "sensord-live", targets: ["sensord-live"])],
  dependencies: [
    // The name is needed only because a checkout may lie in a folder that is called otherwise.
    .package(name: "sensord", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    module("LivePulse"),
    module("LiveForms", ["LivePulse"]),
    module("LiveLocks"),
    // HealthModel is of the same product.
    module("LiveArchive", [.product(name: "SensordClient", package: "sensord")]),
    module(
      "LiveServer",
      [
        "LivePulse", "LiveForms", "LiveLocks", "CMosquitto", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
        nio("NIOWebSocket"),
      ],
      resources: [
        .embedInCode("Page/page.html"), .embedInCode("Page/overlay.html"), .embedInCode("Page/page.css"),
        .embedInCode("Page/page.js"), .embedInCode("Page/sessions.html"), .embedInCode("Page/sessions.js"),
        .embedInCode("Page/openapi.json"),
      ]),
    .executableTarget(
      name: "sensord-live",
      dependencies: [
        "LivePulse", "LiveArchive", "LiveServer", nio("NIOCore"), nio("NIOPosix"),
        .product(name: "SensordClient", package: "sensord"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: rules),
    tests("LivePulse", ["LivePulse"]),
    tests("LiveForms", ["LiveForms", "LivePulse"]),
    tests("LiveLocks", ["LiveLocks"]),
    tests("LiveArchive", ["LiveArchive", .product(name: "SensordClient", package: "sensord")]),
    tests("LiveServer", ["LiveServer", "LivePulse", nio("NIOCore"), nio("NIOPosix"), support]),
    tests("LiveProgram", ["sensord-live", support]),
  ]
)
