import Captures
import Documents
import FoundationEssentials
import Reports
import TestSupport
import Testing
import Timeline

@testable import sensord

/// Intervals that no heart has had, from a capture to what every command says, with the built program.
@Suite("Intervals that are none")
struct FalseIntervalsTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }

  /// Stores a session of packets that come once a second, each with its rate and one interval.
  private func record(_ packets: [(rate: UInt8, ticks: Int)]) throws {
    var log = SensorEventLog([
      SensorEvent(.boot(BootIdentifier(high: 1, low: 2)), at: BootInstant(microseconds: 0)),
      SensorEvent(.clock(wallMinusBootMicroseconds: 1_795_000_000_000_000), at: BootInstant(microseconds: 0)),
      SensorEvent(.connected, at: BootInstant(microseconds: 0)),
    ])
    for (second, packet) in packets.enumerated() {
      log.append(
        SensorEvent(
          .measurement([0x10, packet.rate, UInt8(packet.ticks & 0xFF), UInt8(packet.ticks >> 8)]),
          at: BootInstant(microseconds: Int64(second + 1) * 1_000_000)))
    }
    log.append(SensorEvent(.ended(.shutdown), at: BootInstant(microseconds: Int64(packets.count + 1) * 1_000_000)))
    let header = CaptureHeader(
      session: try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001")),
      sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: "Band"), source: "sensord 0.1.0")
    let text = String(decoding: CaptureEncoder.encode(Capture(header: header, log: log)), as: UTF8.self)
    let outcome = try sensord.run("replay", folder.write("a.capture", text), "--store", store)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("of a sensor that invents its intervals every command says so, and rates are all that there is")
  func invented() throws {
    try record(
      (0..<200).map { second in
        let rate = 60 + second / 20
        return (rate: UInt8(rate), ticks: 61_440 / rate)
      })
    let told = "the sensor invents its RR intervals from its rate"
    #expect(try sensord.run("sessions", "--store", store).output.hasSuffix("\n* no beats: \(told)\n"))
    #expect(
      try sensord.run("sessions", "--json", "--store", store).output.contains(
        #""runs":0,"leftOut":200,"habit":"invented","#))
    let shown = try sensord.run("show", "last", "--store", store).output
    #expect(shown.contains("\nIntervals 200 left out (invented): rates only, no beats\n"))
    #expect(shown.contains("\nHRV       not given: \(told)\n"))
    let variability = try sensord.run("hrv", "last", "--store", store)
    #expect(variability.status == 0 && variability.output.hasSuffix("\nHRV       not given: \(told)\n"))
    #expect(
      try sensord.run("hrv", "last", "--json", "--store", store).output.contains(#""refused":"\#(told)""#))
    let beats = try sensord.run("export", "last", "--format", "beats", "--store", store)
    #expect(beats.status == Code.badData.rawValue && beats.output.isEmpty)
    #expect(
      beats.errors == """
        sensord: session 00000000 has no beats: \(told); export its rates: sensord export 00000000 --format rates

        """)
    let rates = try sensord.run("export", "last", "--format", "rates", "--store", store)
    #expect(rates.errors.isEmpty && rates.output.split(separator: "\n").count == 201)
  }

  @Test("a value that is no interval is surplus in SQL, in the export, in the gaps and in JSON")
  func surplus() throws {
    var ticks = (0..<200).map { second in 1_000 + second * 7 % 50 }
    ticks.insert(65_535, at: 100)
    try record(ticks.map { ticks in (rate: 60, ticks: ticks) })
    let flags = try sensord.run("sql", "SELECT flags FROM beats WHERE rr_ticks = 65535", "--csv", "--store", store)
    #expect(flags.status == 0 && flags.output == "flags\nfirstOfRun+surplus\n", "\(flags.errors)")
    let beats = try sensord.run("export", "last", "--format", "beats", "--store", store)
    #expect(beats.errors.isEmpty && beats.output.contains(",65535,1,firstOfRun+surplus\n"))
    #expect(
      try sensord.run("sql", "SELECT DISTINCT reason FROM gaps", "--csv", "--store", store).output
        == "reason\nsurplus\n"
    )
    let json = try sensord.run("show", "last", "--json", "--store", store).output
    #expect(json.contains(#""artefacts":{"surplus":1}"#) && json.contains(#""reason":"surplus""#))
    #expect(json.contains(#""gapsByCause":{"surplus":{"#))
  }
}
