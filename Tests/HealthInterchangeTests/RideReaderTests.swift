import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Rides read")
struct RideReaderTests {
  private typealias Field = FITScript.Field

  private static let start = Timestamp(microseconds: (FITScript.first + 631_065_600) * 1_000_000)
  private static func after(_ seconds: Int64) -> Timestamp { start.advanced(byMicroseconds: seconds * 1_000_000) }

  private static func semicircles(_ degrees: Double) -> Int64 { Int64(degrees / 180 * 2_147_483_648) }

  private static func session(
    _ sport: Int64, _ sub: Int64, _ span: Range<Int64>, _ more: [Field] = []
  ) -> [Field] {
    [
      FITScript.time(span.upperBound), FITScript.time(span.lowerBound, as: 2), Field(5, .enumeration, sport),
      Field(6, .enumeration, sub), Field(7, .uint32, (span.upperBound - span.lowerBound) * 1000),
    ] + more
  }

  private static func lap(_ span: Range<Int64>) -> [Field] {
    [
      FITScript.time(span.upperBound), FITScript.time(span.lowerBound, as: 2),
      Field(7, .uint32, (span.upperBound - span.lowerBound) * 1000),
    ]
  }

  private static func timer(_ second: Int64, _ type: Int64) -> [Field] {
    [FITScript.time(second), Field(0, .enumeration, 0), Field(1, .enumeration, type)]
  }

  @Test("a FIT ride becomes a workout with its sport, laps, pauses, way and values", arguments: [3, 64, 100_000])
  func ride(pieces: Int) throws {
    var file = FITScript()
    file.add(0, [Field(0, .enumeration, 4), Field(1, .uint16, 1), Field(3, .uint32z, 77)])
    file.add(21, Self.timer(0, 0))
    for second in Int64(0)...20 where !(9...14).contains(second) {
      if second == 15 { file.add(21, Self.timer(15, 0)) }
      file.add(
        20,
        [
          FITScript.time(second), Field(0, .sint32, Self.semicircles(-10 + Double(second) / 1000)),
          Field(1, .sint32, Self.semicircles(-50)), Field(2, .uint16, 2600), Field(3, .uint8, 100 + second),
          Field(4, .uint8, 90), Field(53, .uint8, 64), Field(5, .uint32, 1000 * second), Field(6, .uint16, 9000),
          Field(73, .uint32, 10_000), Field(7, .uint16, second == 3 ? nil : 200 + second), Field(13, .sint8, -5),
          Field(9, .sint16, 300), Field(30, .uint8, nil),
        ])
      if second == 8 { file.add(21, Self.timer(9, 4)) }
    }
    file.add(21, Self.timer(20, 4))
    file.add(19, Self.lap(0..<8))
    file.add(19, Self.lap(8..<20))
    file.add(18, Self.session(2, 46, 0..<20, [Field(11, .uint16, 12)]))
    file.add(128, [FITScript.time(0), Field(1, .sint8, 3)])
    let reading = try Reading(file.bytes, .fit, pieces: pieces)
    #expect(reading.damage == nil && reading.sessions.count == 1)
    let ride = try #require(reading.rides.first)
    #expect(reading.rides.count == 1 && ride.sessions == reading.sessions.map(\.id))
    #expect(ride.workout.configuration.activityType == .cycling)
    #expect(ride.workout.configuration.location == .outdoor)
    #expect(ride.workout.metadata["importedSport"] == .text("cycling/gravel_cycling"))
    #expect(ride.workout.span == TimeSpan(start: Self.after(0), end: Self.after(20)))
    #expect(ride.workout.duration == .seconds(14))
    let laps = ride.workout.events.filter { $0.type == .lap }.map(\.span)
    #expect(laps == [(0, 8), (8, 20)].map { TimeSpan(start: Self.after($0), end: Self.after($1)) })
    #expect(ride.route.count == 15 && ride.route.first?.altitude == 20 && ride.route.first?.speed == 10)
    #expect(abs((ride.route.last?.latitude ?? 0) + 9.98) < 1e-6 && abs((ride.route.last?.longitude ?? 0) + 50) < 1e-6)
    func values(_ type: QuantityType) -> [Double] { ride.series.first { $0.type == type }?.values.map(\.value) ?? [] }
    #expect(values(.distanceCycling).reduce(0, +) == 200)
    #expect(values(.cyclingPower).count == 14 && values(.cyclingPower).first == 200)
    #expect(values(.cyclingCadence) == [Double](repeating: 90.5, count: 15))
    #expect(values(.cyclingSpeed).allSatisfy { $0 == 10 } && values(.ambientTemperature).allSatisfy { $0 == -5 })
    #expect(values(.altitude).count == 15 && values(.activeEnergyBurned) == [12])
    #expect(reading.account.leftOut == ["grade": 15, "weather conditions": 1])
    // A longer file is the same workout with more values.
    var digests: Set<[UInt8]> = [ride.digest]
    digests.insert(try #require(try Reading(Array(file.bytes.dropLast(100)), .fit).rides.first).digest)
    #expect(digests.count == 1)
  }

  @Test("a race in one FIT file is one workout with its parts, and each part has distances of its own kind")
  func race() throws {
    var file = FITScript()
    file.add(0, [Field(0, .enumeration, 4)])
    for second in Int64(0)...30 {
      file.add(
        20, [FITScript.time(second), Field(3, .uint8, 120), Field(5, .uint32, 100 * second), Field(4, .uint8, 80)])
    }
    file.add(18, Self.session(5, 18, 0..<10))
    file.add(18, Self.session(3, 34, 10..<12))
    file.add(18, Self.session(2, 7, 12..<25))
    file.add(18, Self.session(1, 2, 25..<30))
    file.add(18, Self.session(18, 78, 0..<30))
    let reading = try Reading(file.bytes, .fit)
    let ride = try #require(reading.rides.first)
    #expect(reading.rides.count == 1 && ride.workout.configuration.activityType == .swimBikeRun)
    #expect(
      ride.workout.activities.map(\.configuration.activityType) == [.swimming, .transition, .cycling, .running])
    #expect(ride.workout.activities.first?.configuration.swimmingLocation == .openWater)
    func sum(_ type: QuantityType) -> Double {
      ride.series.first { $0.type == type }?.values.reduce(0) { $0 + $1.value } ?? 0
    }
    #expect(abs(sum(.distanceSwimming) - 9) < 1e-9 && abs(sum(.distanceCycling) - 13) < 1e-9)
    #expect(abs(sum(.distanceWalkingRunning) - 8) < 1e-9)
    #expect(ride.series.first { $0.type == .runningCadence }?.values.allSatisfy { $0.value == 160 } == true)
    // Sports of which HealthKit makes no race are workouts of their own.
    var other = FITScript()
    for second in Int64(0)...30 { other.add(20, [FITScript.time(second), Field(3, .uint8, 120)]) }
    other.add(18, Self.session(12, 0, 0..<10))
    other.add(18, Self.session(1, 0, 10..<30))
    #expect(
      try Reading(other.bytes, .fit).rides.map(\.workout.configuration.activityType.description)
        == ["crossCountrySkiing", "running"])
  }

  @Test("lengths of a pool are laps with strokes and SWOLF, and laps become segments")
  func pool() throws {
    var file = FITScript()
    file.add(0, [Field(0, .enumeration, 4)])
    for second in [Int64(0), 30, 60, 90] { file.add(20, [FITScript.time(second), Field(3, .uint8, 120)]) }
    for (begin, type) in [(Int64(0), Int64(1)), (30, 1), (60, 0), (70, 1)] {
      file.add(
        101,
        [
          FITScript.time(begin + 25), FITScript.time(begin, as: 2), Field(3, .uint32, 25_000), Field(5, .uint16, 15),
          Field(7, .enumeration, 0), Field(12, .enumeration, type),
        ])
    }
    file.add(19, Self.lap(0..<60))
    file.add(19, Self.lap(60..<95))
    file.add(18, Self.session(5, 17, 0..<95, [Field(44, .uint16, 2500)]))
    let ride = try #require(try Reading(file.bytes, .fit).rides.first)
    #expect(ride.workout.configuration.swimmingLocation == .pool)
    #expect(ride.workout.configuration.lapLength == Quantity(25, .meter))
    #expect(ride.workout.events.filter { $0.type == .segment }.count == 2)
    let laps = ride.workout.events.filter { $0.type == .lap }
    #expect(laps.count == 3)
    #expect(laps.first?.metadata[WorkoutEvent.swolfScoreKey] == .quantity(Quantity(40, .count)))
    func values(_ type: QuantityType) -> [Double] { ride.series.first { $0.type == type }?.values.map(\.value) ?? [] }
    #expect(values(.distanceSwimming) == [25, 25, 25] && values(.swimmingStrokeCount) == [15, 15, 15])
  }

  @Test("fields of applications with a known meaning are values; the others are told by name")
  func applications() throws {
    var file = FITScript()
    for (number, name, unit) in [(Int64(0), "Power", "Watts"), (1, "Form Power", "Watts")] {
      file.add(
        206,
        [
          Field(0, .uint8, 0), Field(1, .uint8, number), Field(2, .uint8, 0x84), Field(3, text: name),
          Field(8, text: unit),
        ])
    }
    var bytes = file.bytes
    let record: [UInt8] = [
      0x60, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2, 2, 0, 2, 0, 1, 2, 0, 0, 0, 0, 0, 0x3C, 130, 44, 1, 60, 0,
    ]
    bytes.removeLast(2)
    bytes += record
    let size = bytes.count - 12
    for place in 0..<4 { bytes[4 + place] = UInt8(truncatingIfNeeded: size >> (8 * place)) }
    file = FITScript()
    let reading = try Reading(bytes + [0, 0], .fit)
    #expect(reading.rides.first?.series.isEmpty == true)
    // Nobody says which sport it was.
    #expect(reading.account.leftOut == ["power of other": 1, "developer field Form Power": 1])
  }

  @Test("no value of any base type is none")
  func invalid() throws {
    let types: [FITProfile.Base] = [
      .enumeration, .sint8, .uint8, .sint16, .uint16, .sint32, .uint32, .float32, .float64, .uint8z, .uint16z,
      .uint32z, .sint64, .uint64, .uint64z,
    ]
    for base in types {
      for isNone in [true, false] {
        let field = Field(
          7, base, isNone ? nil : base == .float32 ? 0x42C8_0000 : base == .float64 ? 0x4059 << 48 : 100)
        var file = FITScript()
        file.add(20, [FITScript.time(0), Field(3, .uint8, 60), field])
        file.add(18, Self.session(2, 0, 0..<1))
        let power = try Reading(file.bytes, .fit).rides.first?.series.first { $0.type == .cyclingPower }
        #expect(power?.values.map(\.value) == (isNone ? nil : [100]), "\(base) \(isNone)")
      }
    }
  }

  @Test("TCX: laps, way, values and sums; several sports in one session are one workout")
  func tcx() throws {
    func point(_ second: Int, _ more: String = "") -> String {
      let time = "2026-11-21T02:08:\(second < 10 ? "0" : "")\(second)Z"
      return "<Trackpoint><Time>\(time)</Time><Position><LatitudeDegrees>10.\(second)</LatitudeDegrees>"
        + "<LongitudeDegrees>20</LongitudeDegrees></Position><AltitudeMeters>5</AltitudeMeters>"
        + "<DistanceMeters>\(second * 3)</DistanceMeters><HeartRateBpm><Value>120</Value></HeartRateBpm>"
        + "<Cadence>80</Cadence><Extensions><ns3:TPX><ns3:Speed>3</ns3:Speed><ns3:Watts>250</ns3:Watts></ns3:TPX>"
        + "</Extensions>\(more)</Trackpoint>"
    }
    func lap(_ points: Range<Int>, _ calories: Int) -> String {
      "<Lap StartTime='2026-11-21T02:08:\(points.lowerBound < 10 ? "0" : "")\(points.lowerBound)Z'>"
        + "<TotalTimeSeconds>\(points.count)</TotalTimeSeconds><DistanceMeters>30</DistanceMeters>"
        + "<Calories>\(calories)</Calories><Track>\(points.map { point($0) }.joined())</Track></Lap>"
    }
    func read(_ text: String) throws -> Reading {
      try Reading(Array("<TrainingCenterDatabase xmlns:ns3='x'>\(text)</TrainingCenterDatabase>".utf8), .tcx)
    }
    let reading = try read("<Activity Sport='Biking'>\(lap(0..<10, 7))\(lap(10..<20, 5))</Activity>")
    let ride = try #require(reading.rides.first)
    #expect(ride.workout.configuration.activityType == .cycling && ride.sessions == reading.sessions.map(\.id))
    #expect(ride.workout.events.filter { $0.type == .lap }.count == 2 && ride.workout.pauses.stretches.isEmpty)
    #expect(ride.route.count == 20 && ride.route.first?.altitude == 5 && reading.account.leftOut.isEmpty)
    func values(_ type: QuantityType) -> [Double] { ride.series.first { $0.type == type }?.values.map(\.value) ?? [] }
    #expect(values(.cyclingPower) == [Double](repeating: 250, count: 20) && values(.activeEnergyBurned) == [7, 5])
    #expect(values(.distanceCycling).reduce(0, +) == 57 && values(.cyclingCadence).count == 20)
    let race = try read(
      "<MultiSportSession><FirstSport><Activity Sport='Biking'>\(lap(0..<10, 7))</Activity></FirstSport><NextSport>"
        + "<Transition>\(lap(10..<12, 1))</Transition><Activity Sport='Running'>\(lap(12..<20, 5))</Activity></NextSport>"
        + "</MultiSportSession>")
    #expect(race.sessions.count == 1 && race.sessions.first?.rates.count == 20)
    #expect(race.rides.first?.workout.configuration.activityType == .swimBikeRun)
    #expect(
      race.rides.first?.workout.activities.map(\.configuration.activityType) == [.cycling, .transition, .running])
  }

  @Test("TCX without Value has its rates, and says so")
  func flat() throws {
    let points = (0..<5).map {
      "<Trackpoint><Time>2026-11-21T02:08:0\($0)Z</Time><HeartRateBpm>10\($0)</HeartRateBpm></Trackpoint>"
    }
    let reading = try Reading(
      Array(
        "<TrainingCenterDatabase><Activity><Lap><Track>\(points.joined())</Track></Lap></Activity></TrainingCenterDatabase>"
          .utf8), .tcx)
    #expect(reading.sessions.first?.rates.map(\.beatsPerMinute) == [100, 101, 102, 103, 104])
    #expect(reading.account.leftOut == ["HeartRateBpm without Value": 5])
  }
}

@Suite("Clocks that jump")
struct SteadyClockTests {
  private static func tcx(_ times: [Int64]) -> [UInt8] {
    let points = times.map {
      "<Trackpoint><Time>\(MadeUp.time(Double($0)).iso8601())</Time><HeartRateBpm><Value>90</Value></HeartRateBpm></Trackpoint>"
    }
    return Array(
      "<TrainingCenterDatabase><Activity><Lap><Track>\(points.joined())</Track></Lap></Activity></TrainingCenterDatabase>"
        .utf8)
  }

  private static func fit(_ times: [Int64], pauseBefore: Int64? = nil) -> [UInt8] {
    var file = FITScript()
    for (place, time) in times.enumerated() {
      if time == pauseBefore {
        for (second, type) in [(times[place - 1], Int64(4)), (time, 0)] {
          file.add(
            21,
            [FITScript.time(second), FITScript.Field(0, .enumeration, 0), FITScript.Field(1, .enumeration, type)])
        }
      }
      file.add(20, [FITScript.time(time), FITScript.Field(3, .uint8, 90)])
    }
    return file.bytes
  }

  private static let years: Int64 = 60_000_000

  @Test(
    "a clock that is ahead or behind for a while costs those rates alone, which are counted", arguments: [1, -1, 2])
  func excursion(direction: Int64) throws {
    let times = Array(Int64(0)..<50) + (50..<60).map { $0 + direction * Self.years } + Array(60..<400)
    for reading in [try Reading(Self.fit(times), .fit), try Reading(Self.tcx(times), .tcx)] {
      #expect(reading.sessions.map(\.rates.count) == [390])
      #expect(reading.sessions.first.map { $0.end.microseconds(since: $0.start) } == 399_000_000)
      #expect(reading.account.leftOut == ["heart rate at a time when the clock was elsewhere": 10])
    }
  }

  @Test("a clock that stays elsewhere makes two sessions, which is told; a pause does not, and neither does silence")
  func stays() throws {
    let times = Array(Int64(0)..<50) + (50..<300).map { $0 + Self.years }
    for reading in [try Reading(Self.fit(times), .fit), try Reading(Self.tcx(times), .tcx)] {
      #expect(reading.sessions.map(\.rates.count) == [50, 250])
      #expect(reading.account.notes.count == 1 && reading.account.leftOut.isEmpty, "\(reading.account)")
      #expect(reading.account.notes.first?.hasPrefix("its clock jumps from ") == true)
    }
    let pause = Array(Int64(0)..<50) + Array(3000..<3050)
    #expect(try Reading(Self.fit(pause, pauseBefore: 3000), .fit).sessions.map(\.rates.count) == [100])
    let silence = Array(Int64(0)..<50) + Array(500..<550)
    #expect(try Reading(Self.fit(silence), .fit).sessions.map(\.rates.count) == [100])
  }

  @Test("times since a device was switched on count from the beginning that a person gives")
  func switchedOn() throws {
    var file = FITScript()
    for second in Int64(500)..<510 {
      file.add(20, [FITScript.Field(253, .uint32, second), FITScript.Field(3, .uint8, 90)])
    }
    let none = try Reading(file.bytes, .fit)
    #expect(none.sessions.isEmpty && none.account.leftOut[ForeignFormat.sinceSwitchedOn] == 10)
    let reading = try Reading(file.bytes, .fit, start: MadeUp.start)
    #expect(reading.sessions.first?.rates.map(\.time) == (0..<10).map { MadeUp.time(Double($0)) })
  }

  /// An `hr` message: the anchor, or intervals in twelve bits.
  private static func stored(_ events: [Int64], anchor second: Int64? = nil) -> [FITScript.Field] {
    if let second {
      return [
        FITScript.time(second), FITScript.Field(0, .uint16, 16_384), FITScript.Field(6, .uint8, 70),
        FITScript.Field(9, .uint32, events[0]),
      ]
    }
    var bytes: [UInt8] = []
    for pair in stride(from: 0, to: events.count, by: 2) {
      let (one, two) = (events[pair] & 0xFFF, pair + 1 < events.count ? events[pair + 1] & 0xFFF : 0xFFF)
      bytes += [UInt8(one & 0xFF), UInt8(one >> 8 | (two & 0xF) << 4), UInt8(two >> 4)]
    }
    let rates = events.map { _ in UInt8(71) } + (events.count % 2 == 1 ? [0xFF] : [])
    return [FITScript.Field(6, .uint8, bytes: rates), FITScript.Field(10, .bytes, bytes: bytes)]
  }

  @Test(
    "beats that a strap stored under water: twelve bits that go over, from an anchor; a counter without one is told")
  func storedBeats() throws {
    let intervals: [Int64] = [800, 900, 1000, 850, 900, 950, 1000, 1020, 830, 12_000, 900]
    var events: [Int64] = [5000]
    for interval in intervals { events.append(events[events.count - 1] + interval) }
    var file = FITScript()
    file.add(132, Self.stored(Array(events[1...3])))
    file.add(132, Self.stored([events[0]], anchor: 0))
    file.add(132, Self.stored(Array(events[1...8])))
    file.add(132, Self.stored([events[9]]))
    file.add(132, Self.stored([events[10]], anchor: 21))
    file.add(132, Self.stored([events[11]]))
    let reading = try Reading(file.bytes, .fit)
    let session = try #require(reading.sessions.first)
    #expect(session.heartbeats.timescale == 1024)
    #expect(session.heartbeats.runs.map(\.beats.count) == [10, 2])
    #expect(
      session.start == Timestamp(microseconds: (FITScript.first + 631_065_600) * 1_000_000 + 500_000))
    #expect(
      session.heartbeats.beats.filter { !$0.flags.contains(.firstOfRun) }.map { Int64($0.rrTicks) }
        == Array(intervals[..<9]) + [900])
    #expect(session.rates.count == 12 && session.rates.first?.beatsPerMinute == 70)
    #expect(reading.account.leftOut == ["beat of a counter whose time is not known": 4])
  }
}
