// swift-tools-version: 6.2.3
import PackageDescription

/// Every Swift target is compiled under the same rules; see CONTRIBUTING.md.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// A library target of this package: `name` may import `dependencies` and nothing else (`Scripts/check-imports` holds the table).
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

/// The tests of the module that gives them their name.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, exclude: exclude, swiftSettings: rules)
}

let package = Package(
  name: "sensord",
  products: [
    .executable(name: "sensord", targets: ["sensord"]),
    .executable(name: "sensord-simulator", targets: ["Simulator"]),
    .executable(name: "sensord-interchange", targets: ["Interchange"]),
    .library(name: "GATTHeartRate", targets: ["GATTHeartRate"]),
    .library(name: "SeriesStore", targets: ["SeriesStore", "HealthModel"]),
    .library(name: "SensordClient", targets: ["SensordClient", "HealthModel"]),
    .library(name: "PowerCut", type: .dynamic, targets: ["PowerCut"]),
    // What the fuzzer's own package (Fuzz) builds with its own compiler flags.
    .library(
      name: "FuzzedModules",
      targets: [
        "GATTHeartRate", "Timeline", "Captures", "Support", "HealthModel", "SeriesStore", "DBus", "BlueZ",
        "Ingestion", "RecorderBus", "Door", "HealthInterchange",
      ]),
    // Shared by all programs, for the packages of the forwarder and the hub (Forward, Live).
    .library(name: "Support", targets: ["Support"]),
    .library(name: "FastClock", type: .dynamic, targets: ["FastClock"]),
    // What the tests of the live hub's own package (Live) start buses and programs with.
    .library(name: "TestSupport", targets: ["TestSupport"]),
    // Sessions in stores, for the tests of the forwarder's own package (Forward).
    .library(name: "StoreSamples", targets: ["StoreSamples"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // Only its numbers and layouts are used: without pkg-config nothing is linked to the library.
    .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CConfinement"),

    module("GATTHeartRate"),
    module("Support", ["CLinux"]),
    module("HealthModel"),
    module("Timeline", ["GATTHeartRate", "HealthModel", "Support"]),
    module("SeriesStore", ["HealthModel", "Support", "CSQLite", "CLinux"]),
    module("Captures", ["Timeline", "HealthModel", "Support", "CBluetooth", "CLinux"]),
    module("DBus", ["CDBus", "CLinux"]),
    module("BlueZ", ["DBus", "Support", "CLinux"]),
    module(
      "Ingestion",
      [
        "DBus", "BlueZ", "GATTHeartRate", "Timeline", "HealthModel", "SeriesStore", "Captures", "Support", "CLinux",
      ]),
    module("RecorderBus", ["DBus", "HealthModel", "Support"]),
    module(
      "Door",
      ["DBus", "RecorderBus", "Ingestion", "SeriesStore", "HealthModel", "Timeline"]),
    module("SensordClient", ["DBus", "RecorderBus", "HealthModel"]),
    module("Documents", ["HealthModel", "SeriesStore", "Support"]),
    module(
      "Reports",
      ["Documents", "Ingestion", "SeriesStore", "Captures", "Timeline", "HealthModel", "Support", argumentParser]),
    .executableTarget(
      name: "sensord",
      dependencies: [
        "Reports", "Documents", "Door", "RecorderBus", "SensordClient", "Ingestion", "DBus", "BlueZ", "GATTHeartRate",
        "Timeline", "HealthModel", "SeriesStore", "Captures", "Support", "CLinux", "CConfinement", argumentParser,
        logging,
      ],
      swiftSettings: rules),
    module("HealthInterchange", ["Timeline", "HealthModel", "Support", "CExpat", "CZlib"]),
    .executableTarget(
      name: "Interchange",
      dependencies: [
        "HealthInterchange", "Reports", "Documents", "SeriesStore", "HealthModel", "CConfinement", "Support",
        argumentParser,
      ], swiftSettings: rules),
    .executableTarget(
      name: "Simulator", dependencies: ["DBus", "GATTHeartRate", "Support", argumentParser], swiftSettings: rules),

    .executableTarget(
      name: "StoreBenchmark", dependencies: ["SeriesStore", "HealthModel"], path: "Benchmarks/StoreBenchmark",
      swiftSettings: rules),

    .target(name: "TestSupport", dependencies: ["Support"], path: "Tests/TestSupport", swiftSettings: rules),
    .target(
      name: "StoreSamples", dependencies: ["SeriesStore", "HealthModel", "TestSupport"], path: "Tests/StoreSamples",
      swiftSettings: rules),
    .target(
      name: "RecordingSamples", dependencies: ["Reports", "Ingestion", "Timeline", "HealthModel"],
      path: "Tests/RecordingSamples", swiftSettings: rules),
    .target(name: "BluetoothScript", dependencies: ["DBus"], path: "Tests/BluetoothScript", swiftSettings: rules),
    .target(name: "PowerCut", path: "Tests/PowerCut"),
    .target(name: "FastClock", path: "Tests/FastClock"),
    .executableTarget(
      name: "JournalWriter", dependencies: ["Captures", "Timeline"], path: "Tests/JournalWriter", swiftSettings: rules),
    .executableTarget(
      name: "SeriesClient", dependencies: ["DBus"], path: "Tests/SeriesClient", swiftSettings: rules),
    .executableTarget(
      name: "RecorderDriver", dependencies: ["Ingestion", "DBus", "Timeline", "Captures", "HealthModel"],
      path: "Tests/RecorderDriver", swiftSettings: rules),
    .target(name: "CageTrials", dependencies: ["CConfinement"], path: "Tests/CageTrials"),
    .executableTarget(
      name: "CageProbe", dependencies: ["CageTrials"], path: "Tests/CageProbe", swiftSettings: rules),
    .executableTarget(
      name: "StoreFollower", dependencies: ["SeriesStore", "HealthModel"], path: "Tests/StoreFollower",
      swiftSettings: rules),
    .executableTarget(
      name: "StoreDamager",
      dependencies: ["SeriesStore", "HealthModel", "Ingestion", "Captures", "Support", "CSQLite", "TestSupport"],
      path: "Tests/StoreDamager", swiftSettings: rules),
    tests(
      "PowerCut",
      [
        "Captures", "Timeline", "JournalWriter", "RecorderDriver", "TestSupport", "SeriesStore", "HealthModel",
        "GATTHeartRate", "Ingestion",
      ]),
    tests("GATTHeartRate", ["GATTHeartRate"]),
    tests("Timeline", ["Timeline", "HealthModel", "GATTHeartRate", "TestSupport"]),
    tests("Support", ["Support"]),
    tests("HealthModel", ["HealthModel", "TestSupport"]),
    tests(
      "SeriesStore",
      [
        "SeriesStore", "HealthModel", "Support", "CSQLite", "TestSupport", "StoreSamples", "StoreFollower",
        "StoreDamager",
      ]),
    tests(
      "Captures", ["Captures", "Support", "Timeline", "HealthModel", "Ingestion", "TestSupport"], exclude: ["Fixtures"]
    ),
    tests("DBus", ["DBus", "TestSupport"]),
    tests("BlueZ", ["BlueZ", "DBus", "TestSupport", "BluetoothScript"]),
    tests("Simulator", ["Simulator", "DBus", "GATTHeartRate", "TestSupport", argumentParser]),
    tests(
      "Ingestion",
      [
        "Ingestion", "Captures", "HealthModel", "Timeline", "SeriesStore", "BlueZ", "DBus", "Support", "TestSupport",
        "BluetoothScript",
      ]),
    tests("RecorderBus", ["RecorderBus", "DBus", "HealthModel", "Support", "TestSupport"]),
    tests(
      "Door",
      [
        "Door", "RecorderBus", "DBus", "Ingestion", "Timeline", "HealthModel", "SeriesStore", "TestSupport",
      ]),
    tests(
      "SensordClient",
      [
        "SensordClient", "RecorderBus", "DBus", "Door", "Ingestion", "HealthModel", "SeriesStore",
        "Timeline", "TestSupport",
      ]),
    tests("HealthInterchange", ["HealthInterchange", "Timeline", "HealthModel", "TestSupport"]),
    tests("Documents", ["Documents", "SeriesStore", "HealthModel", "Support", "RecordingSamples"]),
    tests(
      "Reports",
      [
        "Reports", "Documents", "SeriesStore", "Captures", "Timeline", "HealthModel", "Ingestion",
        "RecordingSamples", "TestSupport", "Support",
      ]),
    tests(
      "Sensord",
      [
        "sensord", "Reports", "Documents", "Ingestion", "Door", "DBus", "RecorderBus", "SensordClient", "HealthModel",
        "Support", "RecordingSamples", "HealthInterchange", "Interchange", "TestSupport", "CageProbe", argumentParser,
      ]),
    tests(
      "Fuzz",
      [
        "GATTHeartRate", "Timeline", "Captures", "Support", "HealthModel", "SeriesStore", "DBus", "BlueZ",
        "Ingestion", "RecorderBus", "HealthInterchange", "sensord",
      ]),
    tests(
      "Integration",
      [
        "sensord", "Simulator", "GATTHeartRate", "TestSupport", "Captures", "Timeline", "SeriesStore", "HealthModel",
        "Support", "DBus", "SeriesClient", "SensordClient",
      ]),
  ]
)

// What has threads, for the thread sanitizer: it compiles these tests and what they need, and no other (Scripts/test-sanitized).
if Context.environment["SENSORD_TESTS"] == "threads" {
  let threads = ["BlueZ", "Captures", "DBus", "Door", "Ingestion", "SensordClient", "SeriesStore"]
  package.targets.removeAll { $0.type == .test && !threads.contains(String($0.name.dropLast("Tests".count))) }
}
