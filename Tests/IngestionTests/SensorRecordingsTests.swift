import FoundationEssentials
import Testing
import Timeline

@testable import Ingestion

@Suite("The recordings of all sensors")
struct SensorRecordingsTests {
  private static let value = SensorEvent.Kind.measurement([0x10, 60, 0, 4])

  private func address(_ number: Int) -> SensorAddress { SensorAddress(bits: UInt64(number))! }

  private func recordings(_ numbers: some Sequence<Int>) -> SensorRecordings {
    var recordings = SensorRecordings()
    for number in numbers {
      let index = recordings.insert(Invented.recording(address(number)))
      #expect(recordings[index].address == address(number))
    }
    return recordings
  }

  @Test("they are in the order of their addresses, and each is found by its own")
  func order() {
    var recordings = recordings([5, 1, 9, 3, 7])
    #expect(recordings.addresses == [1, 3, 5, 7, 9].map(address))
    for number in 0...10 {
      #expect(recordings.index(of: address(number)) == (number % 2 == 1 ? number / 2 : nil))
    }
    recordings.remove(at: 2)
    #expect(recordings.addresses == [1, 3, 7, 9].map(address))
    #expect(recordings.index(of: address(5)) == nil && recordings.count == 4)
  }

  @Test("one is changed where it stands")
  func inPlace() {
    var recordings = recordings(1...3)
    _ = recordings[1].handle(Self.value, 1)
    #expect(recordings.isRecording)
    #expect(recordings.indices.map { recordings[$0].session != nil } == [false, true, false])
  }

  @Test("an unlisted sensor is forgotten when nothing of it is left, a listed one never", arguments: 0..<5)
  func unlisted(_ left: Int) {
    var recordings = recordings(1...2)
    recordings[0].isUnlisted = left != 0
    if left == 1 { _ = recordings[0].handle(Self.value, 1) }
    if left == 2 { _ = recordings[0].linkUp(over: Invented.hci0) }
    recordings.removeUnlisted { _ in left == 3 }
    #expect(recordings.count == (left == 4 ? 1 : 2))
  }

  @Test("where too many are due at once those are judged that have waited longest, whatever their addresses")
  func judgingOrder() {
    var recordings = recordings(1...8)
    for index in recordings.indices { _ = recordings[index].handle(Self.value, Double(8 - index)) }
    recordings.judge(at: Invented.at(20), every: 10_000_000, wallMinusBoot: 0)
    #expect(recordings.indices.filter { recordings[$0].session?.judgedAt != nil } == [2, 3, 4, 5, 6, 7])
  }

  @Test("beats are judged a few sensors at a time, those first that have waited longest")
  func judging() {
    var recordings = recordings(1...8)
    for index in recordings.indices {
      // The last sensor's session is the oldest.
      _ = recordings[index].handle(Self.value, Double(8 - index))
    }
    func judge(_ seconds: Double) -> [Int] {
      recordings.judge(at: Invented.at(seconds), every: 10_000_000, wallMinusBoot: 0)
      return recordings.indices.filter { recordings[$0].session?.judgedAt == Invented.at(seconds) }
    }
    #expect(judge(10) == [])
    #expect(judge(12) == [6, 7])
    #expect(judge(21) == [0, 1, 2, 3, 4, 5])
    #expect(judge(22) == [6, 7])
    #expect(judge(40) == [0, 1, 2, 3, 4, 5])
  }
}
