// swift-tools-version: 6.2.3
import PackageDescription

// A package of somebody who uses the library: it knows nothing of the project but what the documentation says.
let package = Package(
  name: "Diary",
  dependencies: [
    // The name is needed only because a checkout may lie in a folder that is called otherwise.
    .package(name: "sensord", path: "../..")
  ],
  targets: [
    .executableTarget(name: "Diary", dependencies: [.product(name: "SeriesStore", package: "sensord")])
  ]
)
