// swift-tools-version: 6.2.3
import PackageDescription

// The forwarder: a package of its own, so that neither the recorder nor whoever uses the store's library comes to need libpq.

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

// HealthModel is of the same product.
let store = Target.Dependency.product(name: "SeriesStore", package: "sensord")
let bits = Target.Dependency.product(name: "Bits", package: "sensord")
let mainThread = Target.Dependency.product(name: "MainThreadExecutor", package: "sensord")

let package = Package(
  name: "sensord-forward",
  products: [.executable(name: "sensord-forward", targets: ["sensord-forward"])],
  dependencies: [
    // The name is needed only because a checkout may lie in a folder that is called otherwise.
    .package(name: "sensord", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  // `Scripts/check-imports` holds the table of what each may import.
  targets: [
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "Centre", dependencies: [store, bits], swiftSettings: rules),
    .executableTarget(
      name: "sensord-forward",
      dependencies: [
        "Centre", "CPostgreSQL", store, bits, mainThread,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: rules),
    .testTarget(name: "CentreTests", dependencies: ["Centre", store], swiftSettings: rules),
    .testTarget(
      name: "ForwardProgramTests",
      dependencies: [
        "sensord-forward", "Centre", store, .product(name: "TestSupport", package: "sensord"),
        .product(name: "StoreSamples", package: "sensord"),
      ], swiftSettings: rules),
  ]
)
