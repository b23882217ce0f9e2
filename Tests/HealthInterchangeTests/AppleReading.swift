import HealthModel

@testable import HealthInterchange

/// What an export of Apple's has, read in pieces of a size.
struct AppleReading {
  var objects: [AppleObject] = []
  var account: AppleAccount
  var damage: FileDamage?

  init(
    _ bytes: [UInt8], pieces: Int = 64, types: Set<String>? = nil, since: Timestamp? = nil, capacity: Int = 1 << 17
  ) {
    var reader = AppleHealthReader(types: types, since: since, capacity: capacity)
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        objects += try reader.read(Array(bytes[place..<min(place + pieces, bytes.count)]))
      }
      try reader.end()
    } catch {
      damage = error
    }
    objects += reader.finish()
    account = reader.account
  }

  init(
    _ body: String, head: String = "<?xml version='1.0'?>\n", pieces: Int = 64, types: Set<String>? = nil,
    since: Timestamp? = nil
  ) {
    self.init(
      Array("\(head)<HealthData locale='en'>\(body)</HealthData>".utf8), pieces: pieces, types: types, since: since)
  }

  /// The values of a type, in the order of the series.
  func values(_ type: QuantityType) -> [Double] {
    objects.flatMap { object -> [Double] in
      if case .series(type, let values, _) = object.content { values.map(\.value) } else { [] }
    }
  }

  /// The drafts of a type.
  func drafts(_ identifier: String) -> [SampleDraft] {
    objects.compactMap { object -> SampleDraft? in
      if case .draft(let draft) = object.content, draft.type.identifier == identifier { draft } else { nil }
    }
  }

  var workouts: [Workout] {
    objects.compactMap { object -> Workout? in
      if case .workout(let workout) = object.content { workout } else { nil }
    }
  }
}

/// Elements of Apple's, as text.
enum AppleText {
  static func record(
    _ type: String, _ value: String, unit: String? = nil, at start: String = "07:14:22", to end: String? = nil,
    day: String = "2024-03-01", source: String = "Watch", device: String? = nil, within: String? = nil
  ) -> String {
    let head =
      "<Record type=\"\(type)\" sourceName=\"\(source)\" sourceVersion=\"10\""
      + (unit.map { " unit=\"\($0)\"" } ?? "") + (device.map { " device=\"\($0)\"" } ?? "")
      + " startDate=\"\(day) \(start) -0800\" endDate=\"\(day) \(end ?? start) -0800\" value=\"\(value)\""
    return within.map { "\(head)>\($0)</Record>" } ?? "\(head)/>"
  }

  static func rate(_ value: Int, at start: String = "07:14:22", day: String = "2024-03-01", source: String = "Watch")
    -> String
  {
    record("HKQuantityTypeIdentifierHeartRate", "\(value)", unit: "count/min", at: start, day: day, source: source)
  }
}
