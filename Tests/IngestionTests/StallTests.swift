import Testing
import Timeline

@testable import Ingestion

@Suite("A time in which the recorder did not run")
struct StallTests {
  private var stall = Stall(since: Invented.at(14), until: Invented.at(72), sensors: [Invented.strap, Invented.other])

  @Test("a value with a time of its own shows when it began, one without stands behind it")
  mutating func values() {
    #expect(stall.valueRead(of: Invented.strap, at: Invented.at(12)) == nil)
    #expect(stall.valueRead(of: Invented.strap, at: Invented.at(13)) == nil)
    #expect(stall.valueRead(of: Invented.other, at: Invented.at(72)) == .stalled(microseconds: 60_000_000))
    #expect(stall.valueRead(of: Invented.other, at: Invented.at(72)) == nil)
    #expect(stall.event(for: Invented.strap) == .stalled(microseconds: 60_000_000))
  }

  @Test("each session is told once, and the log how long it was")
  mutating func once() {
    #expect(stall.event(for: Invented.other) == .stalled(microseconds: 58_000_000))
    #expect(stall.event(for: Invented.other) == nil)
    #expect(stall.line == LogLine(.warning, "the recorder did not run for 58.0 s"))
  }
}
