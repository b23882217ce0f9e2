import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("LocationChunk")
struct LocationChunkTests {
  private static let start = Timestamp(microseconds: 1_790_000_000_000_000)

  private func packed(_ locations: [RouteLocation]) throws -> [RouteLocation] {
    try LocationChunk.decode(LocationChunk(locations[...]).encode())
  }

  @Test("one location is packed into few bytes and comes back")
  func one() throws {
    let locations = [RouteLocation(at: Self.start, latitude: 52.5, longitude: 13.25)]
    let bytes = LocationChunk(locations[...]).encode()
    #expect(bytes.count <= 24)
    #expect(try LocationChunk.decode(bytes) == locations)
  }

  @Test("a chunk that another program packed, by the format's page alone, is read")
  func layout() throws {
    let bytes: [UInt8] = [
      0xB4, 0x34, 0x72, 0xCA, 0x41,  // CRC-32C, layout
      0x06,  // locations
      0x66, 0x80, 0xEE, 0x89, 0xAB, 0x0D,  // time: whole seconds, the change goes on; 1790000000
      0x57, 0xFA, 0xDA, 0xEB, 0xF4, 0x03,  // latitude: seven decimals, half the change
      0x67, 0xAE, 0xE9, 0xD7, 0x7F,  // longitude: seven decimals, the change goes on
      0x81, 0xB2, 0x05,  // altitude: some, one decimal, as the last one
      0x40, 0x0A,  // horizontal accuracy: all, no decimal
      0x00, 0x4F, 0x00,  // vertical accuracy: none; speed: bit patterns; course: none
      0x8A, 0x08, 0x20, 0x80, 0x00, 0x0B, 0x86, 0xC1, 0x80, 0x68, 0x1A, 0x80, 0x00, 0x05, 0x90, 0x20, 0x40, 0x81,
      0x81, 0x02, 0x0C, 0x08, 0x12, 0x45, 0x24, 0x10, 0x41, 0x04, 0x0F, 0xE0, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ]
    let expected = (0..<6 as Range<Int64>).map { index in
      RouteLocation(
        at: Self.start.advanced(byMicroseconds: index * 1_000_000),
        latitude: Double(525_170_365 + 230 * index + index * index % 7) / 1e7,
        longitude: Double(133_888_599 + 310 * index) / 1e7,
        altitude: index % 3 == 1 ? nil : Double(345 + index) / 10, horizontalAccuracy: 5, speed: 2.5)
    }
    #expect(try LocationChunk.decode(bytes) == expected)
  }

  @Test("random routes come back as they were, to the last bit", arguments: 0..<40)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let receiver = RouteWorld.Receiver.allCases[Int(seed) % 4]
    let count = Int.random(in: 1...600, using: &random)
    let locations = RouteWorld.locations(count, from: Self.start, as: receiver, &random)
    #expect(try packed(locations) == locations, "seed \(seed)")
  }

  @Test("the ends of all ranges come back, and values that begin, end or are missing in the middle")
  func extremes() throws {
    let times = [Timestamp.calendarRange.lowerBound, Self.start, Self.start, Timestamp.calendarRange.upperBound]
    let values: [(Double, Double, Double?, Double?)] = [
      (-90, 180, nil, 0), (90, -180, 100_000, nil), (.leastNonzeroMagnitude, -.leastNonzeroMagnitude, -12_000, nil),
      (0, 0.1, nil, 359.999999999),
    ]
    let locations = zip(times, values).map { time, value in
      RouteLocation(
        at: time, latitude: value.0, longitude: value.1, altitude: value.2,
        horizontalAccuracy: value.2.map { _ in .greatestFiniteMagnitude }, speed: value.3.map { _ in 10_000 },
        course: value.3)
    }
    #expect(try packed(locations) == locations)
    #expect(try packed([locations[1]]) == [locations[1]])
  }

  @Test("every truncation and every flipped bit is an error, never other locations", arguments: [0, 1, 2, 3])
  func damage(receiver: Int) {
    var random = SeededGenerator(seed: 4)
    let locations = RouteWorld.locations(
      20, from: Self.start, as: RouteWorld.Receiver.allCases[receiver], &random)
    let bytes = LocationChunk(locations[...]).encode()
    for length in 0..<bytes.count {
      #expect(throws: ChunkError.self) { try LocationChunk.decode(Array(bytes[..<length])) }
    }
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: ChunkError.self) { try LocationChunk.decode(damaged) }
    }
  }

  @Test("bytes with a correct checksum, random or of a route with one changed, are refused or read, but never trap")
  func fuzz() throws {
    var random = SeededGenerator(seed: 99)
    func read(_ bytes: [UInt8]) throws {
      guard let locations = try? LocationChunk.decode(ChunkSeal.seal(bytes)) else { return }
      for location in locations { try location.validate() }
      #expect(zip(locations, locations.dropFirst()).allSatisfy { $0.time <= $1.time })
      #expect(try packed(locations) == locations)
    }
    for _ in 0..<10_000 {
      var bytes = (0..<Int.random(in: 5...80, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      bytes[4] = LocationChunk.layout
      try read(bytes)
    }
    for number in 0..<10_000 {
      let receiver = RouteWorld.Receiver.allCases[number % 4]
      let locations = RouteWorld.locations(5, from: Self.start, as: receiver, &random)
      var bytes = LocationChunk(locations[...]).encode()
      bytes[Int.random(in: 5..<bytes.count, using: &random)] = UInt8.random(in: 0 ... .max, using: &random)
      try read(bytes)
    }
  }

  @Test(
    "an hour of one location a second takes few bytes each",
    arguments: [(0, 5.0), (1, 47.5), (2, 1.25)])
  func size(receiver: Int, limit: Double) {
    var random = SeededGenerator(seed: 7)
    let receiver = RouteWorld.Receiver.allCases[receiver]
    let locations = RouteWorld.locations(3600, from: Self.start, as: receiver, &random)
    let bytes = Double(LocationChunk(locations[...]).encode().count) / 3600
    print("\(receiver): \(bytes) bytes a location")
    #expect(bytes <= limit)
  }
}
