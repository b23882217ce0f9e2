import Testing

@testable import Captures

@Suite("The records that no sync has covered")
struct UnsyncedRecordsTests {
  private func capacity(after bytes: Int) -> Int {
    var records = UnsyncedRecords()
    let record = [UInt8](repeating: 0x41, count: 1000)
    for place in 0..<bytes / 1000 {
      unsafe record.withUnsafeBufferPointer { record in
        unsafe records.append(record, count: 1, at: .init(segment: 1, offset: place * 1000), limit: 4 << 20)
      }
    }
    records.removeAll()
    return records.bytes.capacity
  }

  @Test("their memory is reused, but what a slow sync enlarged is released")
  func room() {
    #expect(capacity(after: 500_000) >= 500_000)
    #expect(capacity(after: 3_000_000) == 0)
  }
}
