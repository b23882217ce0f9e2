import HealthModel
import Testing

@Suite("QuantityType")
struct QuantityTypeTests {
  private func mood() throws -> QuantityType {
    try QuantityType("org.example.mood", unit: .count, style: .discreteArithmetic)
  }

  @Test("a program makes and registers types of its own beside the library's")
  func registers() throws {
    var registry = try QuantityTypeRegistry([mood()])
    #expect(registry["org.example.mood"] == (try mood()))
    #expect(registry["heartRate"] == .heartRate)
    #expect(registry["nothing"] == nil)
    #expect(registry.types.count == QuantityType.all.count + 1)
    try registry.register(mood())
    #expect(registry.types.count == QuantityType.all.count + 1)
    #expect(QuantityTypeRegistry.standard["org.example.mood"] == nil)
  }

  @Test("an identifier stands for one type")
  func conflicts() throws {
    var registry = QuantityTypeRegistry.standard
    try registry.register(mood())
    let other = try QuantityType("org.example.mood", unit: .percent, style: .discreteArithmetic)
    #expect(throws: QuantityTypeError.alreadyRegistered("org.example.mood")) { try registry.register(other) }
    let rate = try QuantityType("heartRate", unit: .meter, style: .cumulative)
    #expect(throws: QuantityTypeError.alreadyRegistered("heartRate")) { try QuantityTypeRegistry([rate]) }
    #expect(throws: QuantityTypeError.alreadyRegistered("heartbeatSeries")) {
      try QuantityType("heartbeatSeries", unit: .count, style: .cumulative)
    }
  }

  @Test(
    "an identifier is a name",
    arguments: ["", "1a", ".a", "a b", "a'", "ä", "a\n", "a\u{0}", String(repeating: "a", count: 101)])
  func identifiers(text: String) {
    #expect(throws: QuantityTypeError.invalidIdentifier(text)) {
      try QuantityType(text, unit: .count, style: .cumulative)
    }
  }

  @Test("unit, style and version of a program's own type are known ones")
  func knownParts() throws {
    #expect(throws: QuantityTypeError.unknownUnit("quux")) {
      try QuantityType("a", unit: Unit(opaque: "quux"), style: .cumulative)
    }
    #expect(throws: QuantityTypeError.unknownStyle("median")) {
      try QuantityType("a", unit: .count, style: AggregationStyle(rawValue: "median"))
    }
    #expect(throws: QuantityTypeError.invalidStyleVersion(0)) {
      try QuantityType("a", unit: .count, style: .cumulative, styleVersion: 0)
    }
    var registry = QuantityTypeRegistry.standard
    #expect(throws: QuantityTypeError.unknownUnit("unknown")) { try registry.register(QuantityType(stored: "a")) }
  }

  @Test("a stored identifier is the registered type, or what the file says of it, or opaque")
  func resolves() throws {
    let registry = try QuantityTypeRegistry([mood()])
    func type(_ identifier: String, _ unit: String, _ style: String) -> QuantityType {
      registry.type(identifier: identifier, storedUnit: unit, style: style, styleVersion: 3)
    }
    #expect(type("org.example.mood", "count", "discreteArithmetic") == (try mood()))
    let foreign = type("org.example.mood", "%", "discreteArithmetic")
    #expect(foreign.unit == .percent && foreign.styleVersion == 3 && foreign.isKnown)
    let power = type("power", "kW", "discreteArithmetic")
    #expect(power.isKnown && power.unit.symbol == "kW")
    let later = type("later", "m", "median")
    #expect(!later.isKnown && later.unit.isKnown)
    let opaque = type("opaque", "quux", "cumulative")
    #expect(!opaque.isKnown && !opaque.unit.isKnown && opaque.unit.description == "quux")
    #expect(!QuantityType(stored: "bare").isKnown)
  }

  @Test("values of an unknown unit say that it is unknown")
  func unknownUnit() throws {
    let value = Quantity(5, Unit(opaque: "quux"))
    #expect(throws: UnitError.unknownUnit("quux")) { try value.value(in: .count) }
    #expect(throws: UnitError.unknownUnit("quux")) { try value.value(in: value.unit) }
    #expect(throws: UnitError.unknownUnit("quux")) { try Quantity(5, .count).value(in: value.unit) }
    #expect(!value.unit.isCompatible(with: value.unit))
  }

  @Test("for an unknown style, only figures that need no style are available")
  func unknownStyle() throws {
    let type = QuantityType(stored: "later", unit: .meter, style: AggregationStyle(rawValue: "median"))
    try StatisticsOptions.all(for: type).validate(for: type)
    for option in [StatisticsOptions.average, .minimum, .maximum, .sum] {
      #expect(throws: StatisticsError.unknownStyle(type: "later")) { try option.validate(for: type) }
    }
    var buckets = try StatisticsBuckets(edges: [0, 10], type: type)
    buckets.add([[QuantityTrack(starts: [1], values: [5])]])
    let result = try #require(buckets.results(.all(for: type), sources: [DataSource(source: "test")]).first)
    #expect(result.count == 1 && result.mostRecent == 5 && result.average == nil)
  }

  @Test("the error for a misspelt name suggests similar ones, including the program's own")
  func spelling() throws {
    let registry = try QuantityTypeRegistry([mood()])
    #expect(throws: StatisticsError.unknownType("org.example.moods", nearest: ["org.example.mood"])) {
      try registry.type(named: "org.example.moods")
    }
  }

  /// What files rely on: a type never changes its unit, and its style only with another version.
  private static let table = """
    heartRate count/min discreteTemporallyWeighted
    restingHeartRate count/min discreteArithmetic
    walkingHeartRateAverage count/min discreteArithmetic
    heartRateVariabilitySDNN ms discreteArithmetic
    heartRateVariabilityRMSSD ms discreteArithmetic
    heartRateVariabilityPNN50 % discreteArithmetic
    heartRateRecoveryOneMinute count/min discreteArithmetic
    bloodPressureSystolic mmHg discreteArithmetic
    bloodPressureDiastolic mmHg discreteArithmetic
    respiratoryRate count/min discreteArithmetic
    oxygenSaturation % discreteArithmetic
    bodyTemperature degC discreteArithmetic
    bodyMass kg discreteArithmetic
    height m discreteArithmetic
    stepCount count cumulative
    flightsClimbed count cumulative
    distanceWalkingRunning m cumulative
    distanceCycling m cumulative
    distanceSwimming m cumulative
    activeEnergyBurned kcal cumulative
    basalEnergyBurned kcal cumulative
    swimmingStrokeCount count cumulative
    runningStrideLength m discreteArithmetic
    runningPower W discreteArithmetic
    runningSpeed m/s discreteArithmetic
    runningVerticalOscillation m discreteArithmetic
    runningGroundContactTime ms discreteArithmetic
    headphoneAudioExposure dBASPL discreteEquivalentContinuousLevel
    environmentalAudioExposure dBASPL discreteEquivalentContinuousLevel
    distanceWheelchair m cumulative
    distanceRowing m cumulative
    distancePaddleSports m cumulative
    distanceCrossCountrySkiing m cumulative
    distanceDownhillSnowSports m cumulative
    distanceSkatingSports m cumulative
    walkingSpeed m/s discreteArithmetic
    cyclingSpeed m/s discreteArithmetic
    rowingSpeed m/s discreteArithmetic
    paddleSportsSpeed m/s discreteArithmetic
    crossCountrySkiingSpeed m/s discreteArithmetic
    cyclingPower W discreteArithmetic
    cyclingCadence count/min discreteArithmetic
    runningCadence count/min discreteArithmetic
    strokeRate count/min discreteArithmetic
    altitude m discreteArithmetic
    waterTemperature degC discreteArithmetic
    ambientTemperature degC discreteArithmetic
    """

  @Test("the library's types, with the units and styles in which files have them, are these")
  func known() {
    let known = QuantityType.all.map { "\($0) \($0.unit) \($0.style)" }
    #expect(known == Self.table.split(separator: "\n").map(String.init))
    #expect(QuantityType.all.allSatisfy { $0.isKnown && $0.styleVersion == 1 })
  }
}
