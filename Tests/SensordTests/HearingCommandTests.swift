import Documents
import Foundation
import HealthModel
import Reports
import SeriesStore
import TestSupport
import Testing

@testable import sensord

/// Hearing on the command line, with the built program.
@Suite("Hearing on the command line")
struct HearingCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }
  private static let first = UUID(uuidString: "3F2A91BC-0000-4000-8000-000000000001")!
  private static let second = UUID(uuidString: "3F2A0000-0000-4000-8000-000000000002")!

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try sensord.run(["health"] + arguments + ["--store", store])
  }

  /// The talk's audiogram, made 2026-11-21T12:00:00Z, and one of a left ear an hour later.
  private func save() async throws {
    let writer = try HealthStore.open(store, for: .writing)
    let moment = Timestamp(microseconds: 1_795_262_400_000_000)
    let golden = Audiogram([
      AudiogramSensitivityPoint(hertz: 250, left: 34, right: 27),
      AudiogramSensitivityPoint(hertz: 125, left: 11, right: 31),
    ])
    let ear = Audiogram([AudiogramSensitivityPoint(hertz: 1_500, left: -5, right: nil)])
    let program = SourceRevision(identifier: "org.example.Booth", name: "Booth")
    _ = try await writer.save(
      [
        try NewSample(golden, over: TimeSpan(at: moment), id: Self.first),
        try NewSample(ear, over: TimeSpan(at: moment.advanced(byMicroseconds: 3_600_000_000)), id: Self.second),
      ], as: program)
    await writer.close()
  }

  /// Half of the week's dose, until an hour ago.
  private func listen() async throws {
    let writer = try HealthStore.open(store, for: .writing)
    let end = Timestamp(microseconds: LocalTime.now() - 3_600_000_000)
    let span = try #require(TimeSpan(start: end.advanced(byMicroseconds: -36_000_000_000), end: end))
    let level = Quantity(83, .decibelAWeightedSoundPressureLevel)
    let program = SourceRevision(identifier: "org.example.Player", name: "Player")
    _ = try await writer.save([try NewSample(.headphoneAudioExposure, level, over: span)], as: program)
    await writer.close()
  }

  @Test("audiograms are a table, with the dose of the week where something was heard, and an object")
  func list() async throws {
    try await save()
    let rows = """
      Audiogram  Made              Points  Source
      3f2a91bc   2026-11-21 12:00       2  org.example.Booth
      3f2a0000   2026-11-21 13:00       1  org.example.Booth

      """
    #expect(try run("hearing").output == rows)
    #expect(try run("hearing", "--json").output.hasSuffix(#""headphoneDoseSevenDays":null}"# + "\n"))
    try await listen()
    #expect(try run("hearing").output == rows + "\nHeadphones in the last seven days: 50 % of what is safe\n")
    let json = try run("hearing", "--json").output
    #expect(
      json.hasPrefix(
        #"{"audiograms":[{"id":"3f2a91bc-0000-4000-8000-000000000001","start":"2026-11-21T12:00:00.000Z","#
          + #""end":"2026-11-21T12:00:00.000Z","source":"org.example.Booth","points":["#
          + #"{"frequencyHertz":125,"leftEarSensitivity":11,"rightEarSensitivity":31},{"frequencyHertz":250,"#),
      "\(json)")
    #expect(json.contains(#"{"frequencyHertz":1500,"leftEarSensitivity":-5}"#))
    #expect(json.hasSuffix(#""headphoneDoseSevenDays":0.5}"# + "\n"))
  }

  @Test("one is drawn as audiologists do, the right ear O, the left X, both *")
  func drawn() async throws {
    try await save()
    #expect(
      try run("hearing", "3f2a9").output == """
        Audiogram 3f2a91bc, 2026-11-21 12:00, dBHL by frequency

                   125    250
              0      ·      ·
             10      X      ·
             20      ·      ·
             30      O      *
         left X     11     34
        right O     31     27

        """)
    let last = try run("hearing", "last").output
    #expect(last.contains("1.5 kHz") && last.contains("right O      –"), "\(last)")
  }

  /// Seven hours at a level, from 2026-11-02T08:00Z on, plus hours.
  private func listen(at decibels: Double, after hours: Int64 = 0) async throws -> UUID {
    let writer = try HealthStore.open(store, for: .writing)
    let start = Timestamp(microseconds: 1_793_606_400_000_000 + hours * 3_600_000_000)
    let span = try #require(TimeSpan(start: start, end: start.advanced(byMicroseconds: 25_200_000_000)))
    let sample = try NewSample(
      .headphoneAudioExposure, Quantity(decibels, .decibelAWeightedSoundPressureLevel), over: span)
    _ = try await writer.save([sample], as: SourceRevision(identifier: "org.example.Player", name: "Player"))
    await writer.close()
    return sample.id
  }

  @Test(
    "a rescan stores weeks that were too loud; a second one adds nothing, and one without their sound takes them away")
  func rescan() async throws {
    let loud = try await listen(at: 89)
    _ = try await listen(at: 80, after: 24)
    #expect(
      try run("hearing", "--rescan").output == "Sound of headphones searched: 1 events added, 0 removed, 0 kept\n")
    #expect(try run("hearing", "--rescan", "--json").output == #"{"added":0,"removed":0,"kept":1}"# + "\n")
    // 5 hours at 89 dB(A) are all that is safe in seven days.
    #expect(
      try run("hearing").output == """
        Too loud          Until             dB(A)  Sound  From        Source
        2026-10-26 13:00  2026-11-02 13:00     89  5.0 h  headphones  sensord

        """)
    let json = try run("hearing", "--json").output
    #expect(json.contains(#""type":"headphoneAudioExposureEvent","start":"2026-10-26T13:00:00.000Z""#), "\(json)")
    #expect(json.contains(#""decibels":89,"seconds":18000.000001,"source":"sensord"}]"#), "\(json)")
    let writer = try HealthStore.open(store, for: .writing)
    try await writer.delete([loud], as: "org.example.Player")
    await writer.close()
    #expect(try run("hearing", "--rescan", "--json").output == #"{"added":0,"removed":1,"kept":0}"# + "\n")
    #expect(try run("hearing", "--rescan", "last").status == ExitStatus.usage.rawValue)
  }

  @Test("events of other programs are shown as they are, and no rescan touches them")
  func foreign() async throws {
    let writer = try HealthStore.open(store, for: .writing)
    let moment = Timestamp(microseconds: 1_793_606_400_000_000)
    let source = SourceRevision(identifier: "org.example.Meter", name: "Meter")
    let around = NewSample(.environmentalAudioExposureEvent, .momentaryLimit, over: TimeSpan(at: moment))
    let week = NewSample(.headphoneAudioExposureEvent, .sevenDayLimit, over: TimeSpan(at: moment))
    _ = try await writer.save([around, week], as: source)
    await writer.close()
    #expect(try run("hearing", "--rescan", "--json").output == #"{"added":0,"removed":0,"kept":0}"# + "\n")
    let output = try run("hearing").output
    #expect(output.contains("2026-11-02 08:00      –      –  around      org.example.Meter"), "\(output)")
    #expect(output.contains("2026-11-02 08:00      –      –  headphones  org.example.Meter"), "\(output)")
  }

  @Test("what is not there or is not clear is told with its exit code")
  func failures() async throws {
    let nothing = try sensord.run("health", "hearing")
    #expect(nothing.status == 0 && nothing.errors.hasPrefix("There is nothing about hearing."))
    try await save()
    let missing = try run("hearing", "beef")
    #expect(missing.status == ExitStatus.noInput.rawValue)
    #expect(missing.errors == "sensord: there is no audiogram beef; 'sensord health hearing' lists them\n")
    let unclear = try run("hearing", "3f2a")
    #expect(unclear.status == ExitStatus.usage.rawValue && unclear.errors.contains("give more digits"))
  }
}
