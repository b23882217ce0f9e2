import Ingestion
import Testing
import Timeline

@Suite("Calls that bluetoothd dies of")
struct FatalCallsTests {
  private let strap = FatalCalls.Call.connect(SensorAddress(bits: 0xC0FF_EE00_0001)!)
  private let other = FatalCalls.Call.connect(SensorAddress(bits: 0xC0FF_EE00_0002)!)
  private var calls = FatalCalls()

  private func at(_ seconds: Double) -> BootInstant { BootInstant(microseconds: Int64(seconds * 1_000_000)) }

  /// A call, and the death that much later; the verdict in words.
  private mutating func die(_ call: FatalCalls.Call, at seconds: Double, after delay: Double) -> String {
    calls.called(call, at: at(seconds))
    guard let verdict = calls.died(at: at(seconds + delay)) else { return "-" }
    #expect(verdict.call == call)
    #expect(verdict.delay == .microseconds(Int64(delay * 1_000_000)))
    #expect(verdict.isGivenUp == calls.isGivenUp(call))
    return verdict.isGivenUp ? "given up" : "reported"
  }

  @Test("a discovery with a filter has a substitute, and is given up at the first death")
  mutating func filteredDiscovery() {
    #expect(!calls.isGivenUp(.filteredDiscovery))
    #expect(die(.filteredDiscovery, at: 1, after: 0.2) == "given up")
    #expect(!calls.isGivenUp(.discovery))
  }

  @Test("a call without a substitute is given up at the second death in a row, each sensor's by itself")
  mutating func second() {
    #expect(die(strap, at: 1, after: 1) == "reported")
    #expect(die(other, at: 10, after: 1) == "reported")
    #expect(die(strap, at: 20, after: 1) == "given up")
    #expect(!calls.isGivenUp(other))
    #expect(die(.discovery, at: 30, after: 5) == "reported")
    #expect(die(.discovery, at: 40, after: 5) == "given up")
  }

  @Test("a death later than 5 s after the call has another cause, and one that bluetoothd survives clears the call")
  mutating func survived() {
    #expect(die(.filteredDiscovery, at: 1, after: 5.01) == "-")
    #expect(die(strap, at: 10, after: 1) == "reported")
    #expect(die(strap, at: 20, after: 6) == "-")
    #expect(die(strap, at: 30, after: 1) == "reported")
    calls.called(strap, at: at(40))
    calls.called(.discovery, at: at(46))
    #expect(die(strap, at: 50, after: 1) == "reported")
  }

  @Test("the last call before the death is the one, and no call is blamed for two deaths")
  mutating func last() {
    calls.called(.filteredDiscovery, at: at(1))
    #expect(die(strap, at: 2, after: 0.1) == "reported")
    #expect(calls.died(at: at(2.2)) == nil)
    #expect(!calls.isGivenUp(.filteredDiscovery))
  }

  @Test("what is given up stays so, however long bluetoothd lives")
  mutating func forGood() {
    #expect(die(.filteredDiscovery, at: 1, after: 1) == "given up")
    calls.called(.filteredDiscovery, at: at(100))
    #expect(calls.died(at: at(1000)) == nil)
    #expect(calls.isGivenUp(.filteredDiscovery))
  }
}
