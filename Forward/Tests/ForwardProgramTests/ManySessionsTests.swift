import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// The memory that a store of many sessions needs, measured with the program that SENSORD_FORWARD names.
@Suite("Many sessions", .serialized, .enabled(if: LongTrial.sessions > 0))
struct ManySessionsTests {
  /// In KiB.
  private static let most = 64 << 10

  @Test("forwarded, compared and restored in 64 MiB")
  func memory() async throws {
    let server = try TestServer(options: ["-c", "max_wal_size=4GB"])
    let gateway = try TestGateway(on: server, centre: "many")
    let store = try gateway.open()
    try await gateway.record(LongTrial.sessions, beats: 60, into: store)
    await store.close()
    for words in [
      ["run", "--once"], ["run", "--once"], ["status"], ["verify"],
      ["restore", "--to", "\(gateway.folder.path)/again"],
    ] {
      let errors = try OutputFile()
      let output = try OutputFile()
      var most = 0
      let seconds = try Measured.seconds {
        let program = try gateway.start(words, output: output, errors: errors)
        while program.status == nil {
          most = max(most, ProcessFigures(program).mostResident)
          poll(nil, 0, 5)
        }
        #expect(program.status == 0, "\(words): \(errors.text)")
      }
      #expect(most <= Self.most, "\(words): \(most) KiB")
      let name = "\(words[0]) of \(LongTrial.sessions) sessions"
      Measured.say("\(name), resident", Double(most) / 1024, "MiB", goal: "at most 64 MiB")
      Measured.say(name, seconds, "s")
      print(output.text.prefix(300))
    }
  }
}
