import Testing

@testable import Captures

@Suite("The records that no sync has covered")
struct JournalTailTests {
  private func capacity(after bytes: Int) -> Int {
    var tail = JournalTail()
    let record = [UInt8](repeating: 0x41, count: 1000)
    for place in 0..<bytes / 1000 {
      unsafe record.withUnsafeBufferPointer { record in
        unsafe tail.append(record, count: 1, at: .init(segment: 1, offset: place * 1000), limit: 4 << 20)
      }
    }
    tail.removeAll()
    return tail.bytes.capacity
  }

  @Test("their room is used again, but what a slow sync made it grow to is given back")
  func room() {
    #expect(capacity(after: 500_000) >= 500_000)
    #expect(capacity(after: 3_000_000) == 0)
  }
}
