public import FoundationEssentials
public import HealthModel

/// The points of an audiogram, a row each.
struct AudiogramContent: SampleContent {
  static let kind = SampleKind.audiogram
  static let points = Table(
    "audiogram_points", ["sample INTEGER NOT NULL", "frequency REAL NOT NULL", "left_ear REAL", "right_ear REAL"],
    key: "sample, frequency")
  static let tables = [ContentTable(table: points, key: "sample")]

  let audiogram: Audiogram

  func figures() -> SampleFigures {
    SampleFigures(count: audiogram.sensitivityPoints.count)
  }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    for point in audiogram.sensitivityPoints {
      try connection.insert(
        [
          .integer(sample), .real(point.frequency), SQLValue(point.leftEarSensitivity),
          SQLValue(point.rightEarSensitivity),
        ], into: Self.points)
    }
  }

  /// The audiogram of a sample which, by its row, has `count` points.
  static func audiogram(
    of sample: Int64, count: Int, object: String, in connection: Connection
  ) throws(StoreError) -> Audiogram {
    var statement = try connection.prepare(
      "SELECT frequency, left_ear, right_ear FROM audiogram_points WHERE sample = ?1 ORDER BY frequency")
    try statement.bind(sample, at: 1)
    var points: [AudiogramSensitivityPoint] = []
    while points.count <= Audiogram.mostPoints, try statement.step() {
      points.append(
        AudiogramSensitivityPoint(
          hertz: statement.real(0), left: statement.optionalReal(1), right: statement.optionalReal(2)))
    }
    let audiogram = Audiogram(points)
    guard points.count == count, (try? audiogram.validate()) != nil else { throw connection.corrupt(object) }
    return audiogram
  }

  static func problem(of sample: SampleRow, in connection: Connection) throws(StoreError) -> String? {
    do throws(StoreError) {
      _ = try audiogram(of: sample.id, count: sample.figures.count, object: "sample", in: connection)
      return nil
    } catch {
      guard error.isCorrupt else { throw error }
      return "its points are not those that were saved"
    }
  }
}

extension NewSample {
  /// An audiogram as a sample, over the time of the test from the first tone to the last, or at one moment.
  ///
  /// - Throws: ``HealthModel/AudiogramError`` for an audiogram that ``HealthModel/Audiogram/validate()`` refuses.
  public init(
    _ audiogram: Audiogram, over span: TimeSpan, id: UUID = UUID(), device: Device? = nil, metadata: Metadata = [:],
    sync: SyncIdentity? = nil
  ) throws(AudiogramError) {
    try audiogram.validate()
    self.init(
      AudiogramContent(audiogram: audiogram), of: .audiogram, over: span, id: id, device: device, metadata: metadata,
      sync: sync)
  }
}
