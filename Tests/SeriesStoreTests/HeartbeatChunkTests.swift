import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("HeartbeatChunk")
struct HeartbeatChunkTests {
  @Test("one beat is packed into few bytes and comes back")
  func one() throws {
    let beats = [Heartbeat(rrTicks: 945)]
    let bytes = HeartbeatChunk(beats[...]).encode()
    #expect(bytes.count <= 15)
    #expect(try HeartbeatChunk.decode(bytes) == beats)
  }

  @Test("random beats, flags, gaps and offsets come back as they were", arguments: 0..<40)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...600, using: &random)
    let spread = [0, 1, 5, 40, 400, 30_000][Int.random(in: 0..<6, using: &random)]
    let beats = (0..<count).map { _ in
      var beat = Heartbeat(rrTicks: UInt32(max(0, 32_768 + Int.random(in: -spread...spread, using: &random))))
      if Int.random(in: 0..<50, using: &random) == 0 { beat.rrTicks = UInt32.random(in: 0 ... .max, using: &random) }
      beat.precededByGap = Int.random(in: 0..<20, using: &random) == 0
      if Int.random(in: 0..<9, using: &random) == 0 {
        beat.flags = Heartbeat.Flags(rawValue: UInt8.random(in: 0 ... .max, using: &random))
      }
      if Int.random(in: 0..<30, using: &random) == 0 {
        beat.offsetMicroseconds = Int32.random(in: .min ... .max, using: &random)
      }
      return beat
    }
    #expect(try HeartbeatChunk.decode(HeartbeatChunk(beats[...]).encode()) == beats)
  }

  @Test("the extremes of RR, 0 and 65535, come back")
  func extremes() throws {
    let beats = [0, 65_535, 0, 65_535, 1, UInt32.max, 0].map { Heartbeat(rrTicks: $0) }
    #expect(try HeartbeatChunk.decode(HeartbeatChunk(beats[...]).encode()) == beats)
  }

  @Test("every truncation and every flipped bit is an error, never other beats")
  func damage() {
    let beats = (0..<40).map { Heartbeat(rrTicks: UInt32(900 + $0 % 7), precededByGap: $0 == 20) }
    let bytes = HeartbeatChunk(beats[...]).encode()
    for length in 0..<bytes.count {
      #expect(throws: ChunkError.self) { try HeartbeatChunk.decode(Array(bytes[..<length])) }
    }
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: ChunkError.self) { try HeartbeatChunk.decode(damaged) }
    }
  }

  @Test("random bytes with a correct checksum are refused or read, but never trap")
  func fuzz() {
    var random = SeededGenerator(seed: 99)
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 5...60, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      bytes[4] = HeartbeatChunk.layout
      bytes = ChunkSeal.seal(bytes)
      _ = try? HeartbeatChunk.decode(bytes)
    }
  }
}
