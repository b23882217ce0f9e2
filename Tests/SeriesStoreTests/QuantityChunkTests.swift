import TestSupport
import Testing

@testable import SeriesStore

@Suite("QuantityChunk")
struct QuantityChunkTests {
  @Test("random stamps and values come back as they were", arguments: 0..<60)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...400, using: &random)
    let unit: Int64 = Bool.random(using: &random) ? 1000 : 1
    let kind = Int.random(in: 0..<4, using: &random)
    var chunk = QuantityChunk()
    var time = Int64.random(in: -1_000_000_000...2_000_000_000, using: &random) * 1_000_000
    for index in 0..<count {
      chunk.times.append(time)
      time += Int64.random(in: 0...2000, using: &random) * unit
      let value: Double =
        switch kind {
        case 0: Double(Int.random(in: 30...240, using: &random))
        case 1: Double(Int.random(in: -100_000...100_000, using: &random)) / 1000
        case 2: Double.random(in: -1e12...1e12, using: &random)
        default: [0, -0.0, 1e300, .leastNonzeroMagnitude, 0.1, 4e15][Int.random(in: 0..<6, using: &random)]
        }
      chunk.values.append(value)
      if seed % 3 == 0 { chunk.durations.append(Int64.random(in: 0...5000, using: &random) * unit) }
      if seed % 2 == 0 { chunk.contacts.append(UInt8(index / 50 % 3)) }
      if index % 10 == 9, seed % 5 == 0 {
        chunk.energies.append(.init(index: index, kilojoules: UInt16.random(in: 0 ... .max, using: &random)))
      }
    }
    let decoded = try QuantityChunk(decoding: chunk.encode())
    #expect(decoded.values.map(\.bitPattern) == chunk.values.map(\.bitPattern))
    #expect(decoded == chunk)
  }

  @Test("equal stamps are all kept")
  func equalStamps() throws {
    let chunk = QuantityChunk(times: [5, 5, 5], values: [60, 60, 61])
    #expect(try QuantityChunk(decoding: chunk.encode()) == chunk)
  }

  @Test("an hour of a strap's rates with millisecond stamps takes at most 1.3 bytes each")
  func size() throws {
    var random = SeededGenerator(seed: 7)
    var chunk = QuantityChunk()
    var rate = 120
    for second in 1...3600 {
      let jitter = Int64.random(in: 0..<4, using: &random) * 15 + Int64.random(in: 0..<6, using: &random)
      chunk.times.append((Int64(second) * 1000 + jitter) * 1000)
      rate += Int.random(in: -1...1, using: &random)
      chunk.values.append(Double(rate))
    }
    #expect(Double(chunk.encode().count) / 3600 <= 1.3)
  }

  @Test("every truncation and every flipped bit is an error, never other values")
  func damage() {
    var chunk = QuantityChunk(times: [1000, 2000, 3000, 4500], values: [60, 61.5, 62, 60])
    chunk.contacts = [2, 2, 1, 1]
    chunk.energies = [.init(index: 2, kilojoules: 300)]
    let bytes = chunk.encode()
    for length in 0..<bytes.count {
      #expect(throws: ChunkError.self) { try QuantityChunk(decoding: Array(bytes[..<length])) }
    }
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: ChunkError.self) { try QuantityChunk(decoding: damaged) }
    }
  }

  @Test("random bytes with a correct checksum are refused or read, but never trap")
  func fuzz() {
    var random = SeededGenerator(seed: 98)
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 5...80, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      bytes[4] = QuantityChunk.layout
      if bytes.count > 7 {
        bytes[5] &= QuantityChunk.Content.known.rawValue
        bytes[6] %= 7
      }
      _ = try? QuantityChunk(decoding: ChunkSeal.seal(bytes))
    }
  }
}
