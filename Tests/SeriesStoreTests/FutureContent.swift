import HealthModel

@testable import SeriesStore

/// A kind that no program has registered: three heights, in a table of its own.
struct FutureContent: SampleContent {
  static let kind = SampleKind(rawValue: "descent")
  private static let descents = Table(
    "descents", ["sample INTEGER NOT NULL", "place INTEGER NOT NULL", "height REAL"], key: "sample, place")

  /// Makes the table in the store at `path`, as a later program would.
  static func prepare(_ path: String) throws {
    try StoreFile(path, for: .writing, mode: 0o600).write { (connection) throws(StoreError) in
      try connection.execute(descents.creation)
      try connection.insert([.text("descents"), .text("sample"), .integer(0)], into: Schema.contentTables)
    }
  }

  func figures() -> SampleFigures { SampleFigures(count: 3) }

  func insert(of sample: Int64, into connection: Connection) throws(StoreError) {
    for place in 0..<3 as Range<Int64> {
      try connection.insert([.integer(sample), .integer(place), .real(1000.5)], into: Self.descents)
    }
  }
}
