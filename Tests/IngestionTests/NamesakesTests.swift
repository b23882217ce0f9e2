import Testing
import Timeline

@testable import Ingestion

@Suite("Near sensors with the name of one that is away")
struct NamesakesTests {
  private let listed = SensorAddress("C0:FF:EE:00:00:01")!
  private let near = SensorAddress("C0:FF:EE:00:00:02")!
  private let start = BootInstant(microseconds: 0)

  private func later(_ seconds: Int64) -> BootInstant { start.advanced(by: .seconds(seconds)) }

  @Test("the whole name counts, for as long as the sensor is heard and bluetoothd has it")
  func whole() throws {
    var namesakes = Namesakes()
    namesakes.heard(near, name: "Polar H10 1234", at: start)
    for name in ["Polar H10", "Polar H10 12345", "polar h10 1234", ""] {
      #expect(namesakes.namesake(of: [name], at: start) == nil)
    }
    #expect(namesakes.namesake(of: ["Strap", "Polar H10 1234"], at: later(299)) == near)
    #expect(namesakes.namesake(of: ["Polar H10 1234"], at: later(300)) == nil)
    namesakes.heard(near, name: nil, at: later(1))
    #expect(namesakes.isEmpty, "nobody knows how it is called")
    namesakes.heard(near, name: "Strap", at: later(2))
    namesakes.forget(near)
    #expect(namesakes.isEmpty)
  }

  @Test("a name that two near sensors have tells nothing")
  func common() throws {
    var namesakes = Namesakes()
    let other = try #require(SensorAddress("C0:FF:EE:00:00:03"))
    namesakes.heard(near, name: "HRM", at: start)
    namesakes.heard(other, name: "HRM", at: start)
    #expect(namesakes.namesake(of: ["HRM"], at: start) == nil)
    namesakes.forget(other)
    #expect(namesakes.namesake(of: ["HRM"], at: start) == near)
  }

  @Test("the log has the command once a day, and no name")
  func daily() throws {
    var namesakes = Namesakes()
    let first = namesakes.line(listed, namesake: near, at: start)
    let line = try #require(first)
    #expect(line.level == .notice && line.text.hasSuffix(": sensord devices replace \(listed) \(near)"))
    let soon = namesakes.line(listed, namesake: near, at: later(86_399))
    let other = namesakes.line(near, namesake: listed, at: later(86_399))
    let nextDay = namesakes.line(listed, namesake: near, at: later(86_400))
    #expect(soon == nil && other != nil && nextDay == line)
  }

  @Test("more sensors than are remembered push none out, and make room when they are gone")
  func capacity() throws {
    var namesakes = Namesakes()
    for number in 0...Namesakes.capacity {
      let address = try #require(SensorAddress(bits: UInt64(number + 1)))
      namesakes.heard(address, name: "Strap \(number)", at: start)
    }
    #expect(namesakes.namesake(of: ["Strap 0"], at: start) != nil)
    #expect(namesakes.namesake(of: ["Strap \(Namesakes.capacity)"], at: start) == nil)
    namesakes.heard(near, name: "Late", at: later(300))
    #expect(namesakes.namesake(of: ["Late"], at: later(300)) == near)
  }
}
