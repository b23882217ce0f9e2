import HealthModel
import Testing

@Suite("Audiograms")
struct AudiogramTests {
  private static func audiogram(_ points: [(Double, Double?, Double?)]) -> Audiogram {
    Audiogram(points.map { AudiogramSensitivityPoint(hertz: $0.0, left: $0.1, right: $0.2) })
  }

  /// That of the talk on exploring new data representations (2019).
  static let golden = audiogram([(250, 34, 27), (125, 11, 31)])

  @Test("points are in order of frequency, in hertz and dBHL")
  func order() throws {
    try Self.golden.validate()
    #expect(Self.golden.sensitivityPoints.map(\.frequency) == [125, 250])
    let point = try AudiogramSensitivityPoint(
      frequency: Quantity(0.25, try #require(Unit("kHz"))), leftEarSensitivity: Quantity(34, .decibelHearingLevel),
      rightEarSensitivity: nil)
    #expect(point == AudiogramSensitivityPoint(hertz: 250, left: 34, right: nil))
    #expect(throws: UnitError.self) {
      try AudiogramSensitivityPoint(
        frequency: Quantity(250, .hertz), leftEarSensitivity: Quantity(34, .decibelAWeightedSoundPressureLevel),
        rightEarSensitivity: nil)
    }
  }

  @Test(
    "each rule has its error",
    arguments: [
      ([], .noPoints), ((1...31).map { (Double($0) * 100, 10, nil) }, .tooManyPoints(limit: 30)),
      ([(125, 1, 2), (250, 1, 2), (125, nil, 3)], .equalFrequencies), ([(125, 1, 2), (250, nil, nil)], .noSensitivity),
      ([(0, 1, 2)], .frequencyOutOfRange), ([(.nan, 1, 2)], .frequencyOutOfRange),
      ([(.infinity, 1, 2)], .frequencyOutOfRange), ([(125, 201, nil)], .sensitivityOutOfRange),
      ([(125, 1, .nan)], .sensitivityOutOfRange), ([(125, nil, -101)], .sensitivityOutOfRange),
    ] as [([(Double, Double?, Double?)], AudiogramError)])
  func rules(points: [(Double, Double?, Double?)], error: AudiogramError) {
    #expect(throws: error) { try Self.audiogram(points).validate() }
  }

  @Test("30 points, one ear and the ends of the ranges are allowed")
  func edges() throws {
    try Self.audiogram((1...30).map { (Double($0) * 100, nil, 10) }).validate()
    try Self.audiogram([(1, -100, 200), (100_000, nil, 0)]).validate()
  }
}
