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
        "GATTHeartRate", "Sensors", "Captures", "Bits", "HealthModel", "SeriesStore", "DBus", "BlueZ", "Ingestion",
        "ClientInterfaces", "Clients", "HealthInterchange",
      ]),
    // Hexadecimal digits, for the forwarder's own package (Forward).
    .library(name: "Bits", targets: ["Bits"]),
    .library(name: "MainThreadExecutor", targets: ["MainThreadExecutor"]),
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
    module("Bits", ["CLinux"]),
    module("MainThreadExecutor"),
    module("Sensors", ["Bits"]),
    module("HeartRateRecording", ["Sensors", "GATTHeartRate", "HealthModel"]),
    module("HealthModel"),
    module("SeriesStore", ["HealthModel", "Bits", "CSQLite", "CLinux"]),
    module("Captures", ["Sensors", "Bits", "CBluetooth", "CLinux"]),
    module("DBus", ["CDBus", "CLinux"]),
    module("BlueZ", ["DBus", "Bits", "CLinux"]),
    module(
      "Ingestion",
      [
        "DBus", "BlueZ", "GATTHeartRate", "Sensors", "HeartRateRecording", "HealthModel", "SeriesStore", "Captures",
        "CLinux",
      ]),
    module("Clients", ["Sensors", "HealthModel"]),
    module("ClientInterfaces", ["DBus", "HealthModel"]),
    module(
      "Door",
      ["DBus", "ClientInterfaces", "Clients", "Documents", "Ingestion", "SeriesStore", "HealthModel", "Sensors"]),
    module("SensordClient", ["DBus", "ClientInterfaces", "HealthModel"]),
    module("Documents", ["HealthModel", "SeriesStore", "Bits"]),
    module(
      "Recordings", ["Documents", "Ingestion", "SeriesStore", "Captures", "Sensors", "HealthModel", "Bits"]),
    // What the commands of both programs on a store have in common.
    module("StoreCommands", ["Recordings", "Documents", "SeriesStore", argumentParser]),
    .executableTarget(
      name: "sensord",
      dependencies: [
        "StoreCommands",
        "Documents", "Recordings", "Door", "ClientInterfaces", "Clients", "Ingestion", "DBus", "BlueZ", "GATTHeartRate",
        "Sensors", "HealthModel", "SeriesStore",
        "Captures", "Bits", "CLinux", "CConfinement", argumentParser, logging,
      ],
      swiftSettings: rules),
    module("HealthInterchange", ["HeartRateRecording", "HealthModel", "Bits", "CExpat", "CZlib"]),
    .executableTarget(
      name: "Interchange",
      dependencies: [
        "HealthInterchange", "StoreCommands", "Recordings", "Documents", "SeriesStore", "HealthModel", "CConfinement",
        "MainThreadExecutor", argumentParser,
      ], swiftSettings: rules),
    .executableTarget(
      name: "Simulator", dependencies: ["DBus", "GATTHeartRate", "Bits", argumentParser], swiftSettings: rules),

    .executableTarget(
      name: "StoreBenchmark", dependencies: ["SeriesStore", "HealthModel"], path: "Benchmarks/StoreBenchmark",
      swiftSettings: rules),

    .target(name: "TestSupport", dependencies: ["Bits"], path: "Tests/TestSupport", swiftSettings: rules),
    .target(
      name: "StoreSamples", dependencies: ["SeriesStore", "HealthModel", "TestSupport"], path: "Tests/StoreSamples",
      swiftSettings: rules),
    .target(
      name: "RecordingSamples", dependencies: ["Recordings", "Ingestion", "Sensors", "HealthModel"],
      path: "Tests/RecordingSamples", swiftSettings: rules),
    .target(name: "BluetoothScript", dependencies: ["DBus"], path: "Tests/BluetoothScript", swiftSettings: rules),
    .target(name: "PowerCut", path: "Tests/PowerCut"),
    .target(name: "FastClock", path: "Tests/FastClock"),
    .executableTarget(
      name: "JournalWriter", dependencies: ["Captures", "Sensors"], path: "Tests/JournalWriter", swiftSettings: rules),
    .executableTarget(
      name: "SeriesClient", dependencies: ["DBus"], path: "Tests/SeriesClient", swiftSettings: rules),
    .executableTarget(
      name: "RecorderDriver", dependencies: ["Ingestion", "DBus", "Sensors", "Captures", "HealthModel"],
      path: "Tests/RecorderDriver", swiftSettings: rules),
    .target(name: "CageTrials", dependencies: ["CConfinement"], path: "Tests/CageTrials"),
    .executableTarget(
      name: "CageProbe", dependencies: ["CageTrials"], path: "Tests/CageProbe", swiftSettings: rules),
    .executableTarget(
      name: "StoreFollower", dependencies: ["SeriesStore", "HealthModel"], path: "Tests/StoreFollower",
      swiftSettings: rules),
    .executableTarget(
      name: "StoreDamager",
      dependencies: ["SeriesStore", "HealthModel", "Ingestion", "Captures", "Bits", "CSQLite", "TestSupport"],
      path: "Tests/StoreDamager", swiftSettings: rules),
    tests(
      "PowerCut",
      [
        "Captures", "Sensors", "JournalWriter", "RecorderDriver", "TestSupport", "SeriesStore", "HealthModel",
        "GATTHeartRate", "Ingestion",
      ]),
    tests("GATTHeartRate", ["GATTHeartRate"]),
    tests("Sensors", ["Sensors", "Bits"]),
    tests("HeartRateRecording", ["HeartRateRecording", "HealthModel", "Sensors", "GATTHeartRate", "TestSupport"]),
    tests("Bits", ["Bits"]),
    tests("HealthModel", ["HealthModel", "TestSupport"]),
    tests(
      "SeriesStore",
      [
        "SeriesStore", "HealthModel", "Bits", "CSQLite", "TestSupport", "StoreSamples", "StoreFollower", "StoreDamager",
      ],
      exclude: ["Fixtures"]),
    tests(
      "Captures", ["Captures", "Bits", "Sensors", "HealthModel", "Ingestion", "TestSupport"], exclude: ["Fixtures"]
    ),
    tests("DBus", ["DBus", "TestSupport"]),
    tests("BlueZ", ["BlueZ", "DBus", "TestSupport", "BluetoothScript"]),
    tests("Simulator", ["Simulator", "DBus", "GATTHeartRate", "TestSupport", argumentParser]),
    tests(
      "Ingestion",
      [
        "Ingestion", "Captures", "HealthModel", "HeartRateRecording", "Sensors", "SeriesStore", "BlueZ", "DBus",
        "TestSupport", "BluetoothScript",
      ]),
    tests("ClientInterfaces", ["ClientInterfaces", "DBus", "HealthModel", "TestSupport"]),
    tests("Clients", ["Clients", "Sensors", "HealthModel"]),
    tests(
      "Door",
      [
        "Door", "ClientInterfaces", "Clients", "DBus", "Ingestion", "Sensors", "HealthModel", "SeriesStore",
        "TestSupport",
      ]),
    tests(
      "SensordClient",
      [
        "SensordClient", "ClientInterfaces", "DBus", "Door", "Clients", "Ingestion", "HealthModel", "Documents",
        "SeriesStore", "Sensors", "TestSupport",
      ]),
    tests("HealthInterchange", ["HealthInterchange", "HeartRateRecording", "Sensors", "HealthModel", "TestSupport"]),
    tests("Documents", ["Documents", "SeriesStore", "HealthModel", "RecordingSamples"]),
    tests(
      "Recordings",
      [
        "Recordings", "Documents", "SeriesStore", "Captures", "Sensors", "HealthModel", "Ingestion", "RecordingSamples",
        "TestSupport", "Bits",
      ]),
    tests(
      "Sensord",
      [
        "sensord", "StoreCommands", "Recordings", "Documents", "Ingestion", "Clients", "DBus", "HealthModel", "Bits",
        "RecordingSamples",
        "HealthInterchange", "Interchange", "TestSupport", "CageProbe", argumentParser,
      ]),
    tests(
      "Fuzz",
      [
        "GATTHeartRate", "Sensors", "Captures", "Bits", "HealthModel", "SeriesStore", "DBus", "BlueZ", "Ingestion",
        "ClientInterfaces", "HealthInterchange", "sensord",
      ]),
    tests(
      "Integration",
      [
        "sensord", "Simulator", "GATTHeartRate", "TestSupport", "Captures", "Sensors", "SeriesStore", "HealthModel",
        "Bits", "DBus", "SeriesClient", "SensordClient",
      ]),
  ]
)

// What has threads, for the thread sanitizer: it compiles these tests and what they need, and no other (Scripts/test-sanitized).
if Context.environment["SENSORD_TESTS"] == "threads" {
  let threads = ["BlueZ", "Captures", "DBus", "Door", "Ingestion", "SensordClient", "SeriesStore"]
  package.targets.removeAll { $0.type == .test && !threads.contains(String($0.name.dropLast("Tests".count))) }
}
