import HealthModel

/// The code that HealthModel's articles quote, compiled and run: each `snippet` stands in one of them word for word.
enum ModelExamples {
  static func units() throws -> [Double] {
    // snippet: units
    let speed = Quantity(12, try Unit(parsing: "km/hr"))
    let metersPerSecond = try speed.value(in: .meterPerSecond)
    let beats = try Quantity(1.5, Unit(parsing: "count/s")).value(in: .countPerMinute)
    // end
    return [metersPerSecond, beats]
  }

  static func type(_ use: (Bool) -> Void) {
    // snippet: type
    guard let type = QuantityType(identifier: "heartRate") else { return }
    let isMean = type.style == .discreteTemporallyWeighted
    // end
    use(isMean)
  }

  static func ownType() throws -> QuantityTypeRegistry {
    // snippet: registry
    let mood = try QuantityType("org.example.mood", unit: .count, style: .discreteArithmetic)
    let types = try QuantityTypeRegistry([mood])
    // end
    return types
  }

  static func statistics(from start: Timestamp) throws -> [Statistics] {
    // snippet: statistics
    let india = TimeZoneRules(name: "Asia/Kolkata", fixedOffset: 19_800)
    let day = try CalendarInterval(parsing: "1d")
    let days = CalendarBuckets(every: day, containing: start, in: india)
    let edges = try days.edges(from: start, to: start.advanced(byMicroseconds: 1))

    let time = start.microseconds
    let strap = QuantityTrack(starts: [time, time + 2_000_000, time + 4_000_000], values: [64, 66, 67])
    let hold = WeightingPolicy.holdLast(maximumGapMicroseconds: WeightingPolicy.standardGapMicroseconds)
    var buckets = try StatisticsBuckets(edges: edges, type: .heartRate, policy: hold)
    buckets.add([[strap]])
    let results = try buckets.results([.average, .maximum], sources: [DataSource(source: "strap")])
    // end
    return results
  }

  static func variability(from start: Timestamp) throws -> Double {
    // snippet: variability of beats
    var builder = HeartbeatSeriesBuilder(timescale: 1000)
    for ticks in [500, 1490, 2490, 3480, 4450] as [Int64] { try builder.add(atTicks: ticks, since: start) }
    let series = try builder.finish()
    let variability = HeartRateVariability(NNIntervals(series))
    let sdnn = try variability.sdnn(.population)
    // end
    return sdnn.value
  }

  static func workout(from start: Timestamp) throws -> [Double?] {
    let strap = DataSource(source: "sensord", device: "strap")
    let seconds: [Int64] = [10, 20, 3000]
    let rates = QuantityTrack(
      starts: seconds.map { start.advanced(by: .seconds($0)).microseconds }, values: [110, 130, 130])
    // snippet: race
    var session = try WorkoutSession(WorkoutConfiguration(.swimBikeRun, location: .outdoor))
    try session.startActivity(at: start)
    try session.beginNewActivity(WorkoutConfiguration(.swimming, swimmingLocation: .openWater), at: start)
    try session.beginNewActivity(WorkoutConfiguration(.transition), at: start.advanced(by: .seconds(1800)))
    try session.beginNewActivity(WorkoutConfiguration(.cycling), at: start.advanced(by: .seconds(2000)))
    try session.end(at: start.advanced(by: .seconds(5600)))

    var builder = try WorkoutBuilder(of: session)
    try builder.addSamples([WorkoutSample(.quantity(.heartRate), from: strap, quantities: rates)])
    let race = try builder.finishWorkout()
    let averages = race.activities.map { $0.statistics(for: .heartRate)?.average }
    // end
    return averages
  }
}
