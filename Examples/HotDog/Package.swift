// swift-tools-version: 6.2.3
import PackageDescription

// A game of somebody who uses the library: it knows nothing of the project but what the documentation says.
let package = Package(
  name: "HotDog",
  dependencies: [
    // The name is needed only because a checkout may lie in a folder that is called otherwise.
    .package(name: "sensord", path: "../..")
  ],
  targets: [
    .executableTarget(name: "HotDog", dependencies: [.product(name: "SensordClient", package: "sensord")])
  ]
)
