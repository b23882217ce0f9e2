import Documents
import Foundation
import HealthModel
import Reports
import SeriesStore
import TestSupport
import Testing

@testable import sensord

/// Nights on the command line, with the built program.
@Suite("Sleep on the command line")
struct SleepCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }
  /// 2026-11-20T22:00:00Z.
  private static let evening: Int64 = 1_795_212_000_000_000

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try sensord.run(["health"] + arguments + ["--store", store])
  }

  /// A night and a nap of a watch, in bed by a phone, and the night before.
  private func save() async throws {
    let writer = try HealthStore.open(store, for: .writing)
    func sample(_ value: CategoryValue, _ start: Int64, _ end: Int64) throws -> NewSample {
      func time(_ minute: Int64) -> Timestamp { Timestamp(microseconds: Self.evening + minute * 60_000_000) }
      let span = try #require(TimeSpan(start: time(start), end: time(end)))
      return try NewSample(SampleDraft(.sleepAnalysis, value, over: span))
    }
    let watch = SourceRevision(identifier: "org.example.Watch", name: "Watch")
    let phone = SourceRevision(identifier: "org.example.Phone", name: "Phone")
    _ = try await writer.save(
      [
        try sample(.asleepCore, 20, 100), try sample(.asleepDeep, 100, 160), try sample(.asleepREM, 160, 200),
        try sample(.awake, 200, 210), try sample(.asleepCore, 210, 400), try sample(.asleepREM, 400, 460),
        try sample(.asleepUnspecified, 900, 930), try sample(.asleepUnspecified, -1440, -1000),
      ], as: watch)
    _ = try await writer.save([try sample(.inBed, 0, 480)], as: phone)
    await writer.close()
  }

  @Test("nights are a table of 80 columns with their naps, and an array")
  func list() async throws {
    try await save()
    let table = try run("sleep")
    #expect(
      table.output == """
        Night to    In bed       Asleep  Core  Deep   REM  Awake  Eff.
        2026-11-20  22:00–05:20    7:20
        2026-11-21  22:00–06:00    7:10  4:30  1:00  1:40   0:10  90 %
          nap       13:00–13:30    0:30

        """, "\(table.output)\(table.errors)")
    let json = try run("sleep", "--json", "--from", "2026-11-21").output
    #expect(json.split(separator: "\n").count == 3)
    #expect(
      json.contains(#"{"day":"2026-11-21","asleepSeconds":27600,"periods":[{"start":"2026-11-20T22:00:00.000Z","#))
    #expect(
      json.contains(
        #""isNap":false,"inBedSeconds":28800,"asleepSeconds":25800,"coreSeconds":16200,"deepSeconds":3600,"#
          + #""remSeconds":6000,"unspecifiedSeconds":0,"awakeSeconds":600,"latencySeconds":1200,"#
          + #""wakeAfterOnsetSeconds":600,"awakenings":1,"efficiency":0.8958"#), "\(json)")
    #expect(
      json.contains(
        #""stretches":[{"value":"inBed","start":"2026-11-20T22:00:00.000Z","end":"2026-11-20T22:20:00.000Z","#
          + #""source":"org.example.Phone"},{"value":"asleepCore","#))
    #expect(try run("sleep", "--to", "2026-11-20").output.split(separator: "\n").count == 2)
    #expect(try run("sleep", "--to", "2026-11-19", "--json").output == "[]\n")
  }

  @Test("one night is drawn as its stages, with its figures")
  func night() async throws {
    try await save()
    let shown = try run("sleep", "last")
    #expect(
      shown.output == """
        Night to 2026-11-21

        In bed │███                                                                  ███
         Awake │                              ██
           REM │                        ██████                              █████████
          Core │   ████████████                 ████████████████████████████
          Deep │               █████████
               └────────────────────────────────────────────────────────────────────────
                22:00                                                              06:00

        In bed        22:00–06:00, 8 h 00 min
        Asleep        7 h 10 min, 90 % of the time in bed
          Core        4 h 30 min
          Deep        1 h 00 min
          REM         1 h 40 min
        Awake         once in between, 10 min 00 s
        Fell asleep   after 20 min 00 s
        Told by       org.example.Phone, org.example.Watch
        Nap           13:00–13:30, 30 min 00 s asleep

        """, "\(shown.output)\(shown.errors)")
    #expect(try run("sleep", "2026-11-21").output == shown.output)
    #expect(try run("sleep", "2026-11-20").output.contains("Asleep        22:00–05:20, 7 h 20 min\n"))
    // By other clocks the nap is of the next day.
    let kamchatka = try sensord.run(
      ["health", "sleep", "2026-11-22", "--store", store], changed: ["TZ": "<+12>-12"])
    #expect(kamchatka.output.contains("01:00–01:30"), "\(kamchatka.output)\(kamchatka.errors)")
  }

  @Test("what is not there or makes no sense is told with its exit code")
  func failures() async throws {
    #expect(
      try sensord.run("health", "sleep").errors
        == "There is no such sleep. Other programs save it; see Documentation/clients.md.\n")
    try await save()
    let missing = try run("sleep", "2026-11-25")
    #expect(missing.status == ExitStatus.noInput.rawValue)
    #expect(
      missing.errors
        == "sensord: there is no sleep of the night to 2026-11-25; 'sensord health sleep' lists the nights\n")
    for arguments in [
      ["yesterday"], ["last", "--from", "2026-11-21"], ["--from", "2026-11-22", "--to", "2026-11-21"],
    ] {
      let outcome = try sensord.run(["health", "sleep", "--store", store] + arguments)
      #expect(outcome.status == ExitStatus.usage.rawValue, "\(arguments)")
    }
  }
}
