// swift-tools-version: 6.2.3
import PackageDescription

// A package of its own, since everything in it is built for the fuzzer (see run): the project's own builds know nothing of it.
let package = Package(
  name: "Fuzz",
  dependencies: [.package(name: "sensord", path: "..")],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [.product(name: "FuzzedModules", package: "sensord")],
      path: ".",
      exclude: ["Configuration/Configuration+Finding.swift", "Corpus", "README.md", "run"],
      sources: ["Configuration", "Driver", "Targets"],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"), .define("FUZZER"),
        .unsafeFlags(["-parse-as-library"]),
      ])
  ]
)
