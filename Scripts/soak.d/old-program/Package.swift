// swift-tools-version: 6.2
import PackageDescription

/// A program of the store's first layout: built against the sources in the folder that OLD_TREE names.
let package = Package(
  name: "old-program",
  dependencies: [.package(name: "sensord", path: Context.environment["OLD_TREE"] ?? "../../..")],
  targets: [
    .executableTarget(name: "OldProgram", dependencies: [.product(name: "SeriesStore", package: "sensord")])
  ]
)
