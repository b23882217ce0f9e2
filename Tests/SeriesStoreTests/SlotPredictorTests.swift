import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("Stamps that come in slots")
struct SlotPredictorTests {
  /// What a host receives from a sensor that sends each second over a radio with turns every `slot`.
  struct Radio {
    /// Microseconds, as all times here.
    var slot: Int64
    var scatter: Int64 = 12_000
    /// One packet in so many misses its turn.
    var heldEvery = 18
    /// How often the link is lost for half a minute.
    var losses = 0
    var unit: Int64 = 1000

    func chunk(seconds: Int, seed: UInt64) -> QuantityChunk {
      var random = SeededGenerator(seed: seed)
      let lost = Set((0..<losses).map { seconds * ($0 + 1) / (losses + 1) })
      var chunk = QuantityChunk()
      var gapEnd = 0
      var rate = 120
      for second in 0..<seconds {
        if lost.contains(second) { gapEnd = second + 30 }
        guard second >= gapEnd else { continue }
        let sent = Int64(second) * 1_000_020 + 317_000
        let held = Int.random(in: 0..<heldEvery, using: &random) == 0 ? Int64.random(in: 1...2, using: &random) : 0
        let arrival = ((sent + slot - 1) / slot + held) * slot + Int64.random(in: 0...scatter, using: &random)
        let time = 1_700_000_000_000_000 + arrival / unit * unit
        chunk.times.append(max(time, chunk.times.last ?? time))
        rate += Int.random(in: -1...1, using: &random)
        chunk.values.append(Double(rate))
      }
      return chunk
    }

    func bytesPerValue(seed: UInt64) -> Double {
      let chunk = chunk(seconds: 3600, seed: seed)
      return Double(chunk.encode().count) / Double(chunk.times.count)
    }
  }

  private func comesInSlots(_ bytes: [UInt8]) -> Bool {
    QuantityChunk.Content(rawValue: bytes[5]).contains(.slots)
  }

  @Test(
    "slots of any length come back as they were: packets held up, links lost, microseconds, values of any form",
    arguments: 0..<60)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let slot = [7_500, 30_000, 48_750, 62_500, 333_333, 495_000, 999_000, 1_000_000, 2_600_000][Int(seed % 9)]
    let radio = Radio(
      slot: Int64(slot), scatter: Int64.random(in: 1...20_000, using: &random),
      heldEvery: Int.random(in: 2...50, using: &random), losses: Int.random(in: 0...9, using: &random),
      unit: Bool.random(using: &random) ? 1000 : 1)
    var chunk = radio.chunk(seconds: Int.random(in: 60...2000, using: &random), seed: seed)
    if seed % 3 == 0 { for index in chunk.values.indices { chunk.values[index] /= 7 } }
    if seed % 4 == 0 { chunk.contacts = chunk.times.indices.map { UInt8($0 / 40 % 3) } }
    if seed % 5 == 0 { chunk.energies = [.init(index: chunk.times.count / 2, kilojoules: 77)] }
    #expect(try QuantityChunk(decoding: chunk.encode()) == chunk)
  }

  @Test("an hour of a strap whose packets wait for turns of half a second takes at most 1.15 bytes a value")
  func halfSeconds() {
    let radio = Radio(slot: 495_000)
    #expect(comesInSlots(radio.chunk(seconds: 3600, seed: 1).encode()))
    for seed in 1...5 as ClosedRange<UInt64> { #expect(radio.bytesPerValue(seed: seed) <= 1.15) }
  }

  @Test("turns of a twentieth of a second are found, and take fewer bytes than a clock of seconds")
  func twentieths() {
    let radio = Radio(slot: 48_750, scatter: 3_000)
    #expect(comesInSlots(radio.chunk(seconds: 3600, seed: 2).encode()))
    #expect(radio.bytesPerValue(seed: 2) <= 0.9)
  }

  @Test("a lost link costs one skip, and nothing for later values")
  func lostLinks() {
    let whole = Radio(slot: 1_000_000, scatter: 40_000)
    let broken = Radio(slot: 1_000_000, scatter: 40_000, losses: 8)
    #expect(comesInSlots(broken.chunk(seconds: 3600, seed: 3).encode()))
    #expect(broken.bytesPerValue(seed: 3) <= 1.02 * whole.bytesPerValue(seed: 3))
  }

  @Test("irregular times have no slots, and times that a clock predicts as well use the clock")
  func clocks() {
    var random = SeededGenerator(seed: 4)
    var irregular = QuantityChunk()
    var steady = QuantityChunk()
    var time: Int64 = 0
    for index in 0..<1000 as Range<Int64> {
      time += Int64.random(in: 1...5000, using: &random) * 1000
      irregular.times.append(time)
      steady.times.append((index * 1000 + Int64.random(in: 0...50, using: &random)) * 1000)
    }
    irregular.values = Array(repeating: 60, count: 1000)
    steady.values = irregular.values
    #expect(!comesInSlots(irregular.encode()))
    #expect(!comesInSlots(steady.encode()))
  }

  @Test("slots without a length are refused")
  func refused() {
    for (length, step) in [(0, 1), (1, 0)] as [(UInt64, UInt64)] {
      var head = ByteWriter()
      for byte in [0, 0, 0, 0, QuantityChunk.layout, QuantityChunk.Content.slots.rawValue, 0] { head.put(byte) }
      for number in [2, 0, length, step, 0] { head.putVarint(number) }
      let bytes = ChunkSeal.seal(head.bytes + [0xFF, 0xFF, 0xFF])
      #expect(throws: ChunkError.invalid(field: "slots")) { try QuantityChunk(decoding: bytes) }
    }
  }

  @Test("stamps at the ends of time, and times that stand still, are packed without a trap")
  func extremes() throws {
    let spans: [(Int64, Int64)] = [
      (-62_135_596_800_000_000, 1), (253_402_300_000_000_000, 1), (0, 0), (0, 40_000_000_000_000),
    ]
    for (first, step) in spans {
      let times = (0..<200 as Range<Int64>).map { first + $0 * step }
      let chunk = QuantityChunk(times: times, values: Array(repeating: 1, count: 200))
      #expect(try QuantityChunk(decoding: chunk.encode()) == chunk)
    }
  }

  /// Two seconds of slots of half a second, packet by packet; the second holds 60 beats a minute, the link is lost once.
  @Test("bytes from the first version are read the same, and are written the same")
  func golden() throws {
    var chunk = QuantityChunk()
    for index in 0..<70 as Range<Int64> {
      let held: Int64 = index == 20 ? 500 : 0
      let gap: Int64 = index >= 40 ? 5000 : 0
      chunk.times.append((1_700_000_000_000 + index * 1000 + held + gap + index * 7 % 5) * 1000)
      chunk.values.append(Double(60 + index % 3))
    }
    #expect(chunk.encode().map { String($0, radix: 16) }.joined(separator: " ") == Self.goldenBytes)
    let bytes = Self.goldenBytes.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    #expect(try QuantityChunk(decoding: bytes) == chunk)
  }

  private static let goldenBytes = """
    ac 3a 7a 9d 11 21 0 46 80 a0 ab fe f9 62 85 e8 7 2 2 d5 c1 0 60 0 0 37 89 2a 8a 8a e4 a8 6a 57 6a 85 52 e7 52 d4 f1 \
    d2 d3 f0 d4 d3 eb 5e 8f 9a 75 7b d1 b3 ca a4 ae 24 5d e5 d4 68 ba cd 54 48 fa 89 5c 48 bb 48 d4 c9 34 9b 52 26 d2 46 \
    e4 49 b4 9a 99 26 93
    """
}
