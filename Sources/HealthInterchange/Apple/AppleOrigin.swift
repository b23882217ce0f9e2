internal import Bits
internal import HealthModel

/// The common properties of all records of a series: type, unit, source, device and metadata. A class: used for each record, and too large
/// to be copied each time.
final class AppleOrigin {
  let typeName: String
  let meaning: AppleNames.Meaning
  let unit: Unit?
  /// The unit as it stands there.
  let unitName: String?
  let source: SourceRevision
  let device: Device?
  let metadata: Metadata
  /// The digest of all properties above.
  let digest: [UInt8]
  /// Whether it is of a type that was asked for.
  let isWanted: Bool
  /// Whether values are in the type's unit already.
  let isInUnit: Bool
  /// Whether values of 0 or less are invalid: no heart beats like that.
  let isOfBeats: Bool
  /// Whether its values may be parts of a correlation.
  let isHeld: Bool
  /// The factor that converts values to the type's unit; nil where the conversion is not that simple.
  let factor: Double?
  /// The day to which the last record belonged, and its place among the series.
  var lastDay = Int64.min
  var lastPlace = 0
  /// The number of records that came in.
  var count = 0

  init(_ fields: AppleFields, metadata: [(key: String, value: String)], wanted: Set<String>?) {
    typeName = fields.type
    meaning = AppleNames.meaning(of: fields.type)
    source = fields.sourceRevision
    device = fields.device.flatMap(AppleNames.device)
    self.metadata = Self.metadata(metadata)
    unit = fields.unit.flatMap(AppleNames.unit)
    unitName = fields.unit
    isWanted = wanted?.contains(AppleNames.short(fields.type)) ?? true
    if case .quantity(let type) = meaning, let unit, unit.isCompatible(with: type.unit) {
      isInUnit = unit.scale(to: type.unit) == 1
      factor = unit.scale(to: type.unit)
    } else {
      (isInUnit, factor) = (false, nil)
    }
    if case .quantity(let type) = meaning { isOfBeats = Self.beatTypes.contains(type) } else { isOfBeats = false }
    if case .quantity(let type) = meaning { isHeld = Self.heldTypes.contains(type.identifier) } else { isHeld = false }
    var hash = SHA256()
    let parts = device?.texts.map { $0 ?? "" } ?? []
    let texts =
      [fields.type, fields.unit ?? "", fields.source, fields.sourceVersion ?? ""] + parts
      + metadata.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    for text in texts { hash.add((Array(text.utf8) + [0])[...]) }
    digest = hash.digest()
  }

  private static let beatTypes: Set<QuantityType> = [.heartRate, .restingHeartRate, .walkingHeartRateAverage]
  private static let heldTypes = Set(CorrelationType.bloodPressure.parts.map(\.identifier))

  static func metadata(_ entries: [(key: String, value: String)]) -> Metadata {
    var metadata: Metadata = [:]
    // A key that is as ours are stands for itself. Of others that would be the same without Apple's prefix, the shortest loses its own.
    for entry in entries.sorted(by: { order($0.key) < order($1.key) }) {
      let key = AppleNames.key(entry.key)
      metadata[metadata[key] == nil || key == entry.key ? key : entry.key] = AppleNames.metadata(entry.value)
    }
    return metadata
  }

  private static func order(_ key: String) -> (Int, Int, String) {
    (AppleNames.key(key) == key ? 0 : 1, key.utf8.count, key)
  }

  /// The digest that identifies an object of this origin.
  func digest(_ numbers: [Int64]) -> [UInt8] {
    var hash = SHA256()
    hash.add(digest[...])
    for number in numbers {
      hash.add((0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }[...])
    }
    return hash.digest()
  }
}

extension Unit {
  /// The factor that converts values in this unit to another; nil for temperatures in other degrees, and for levels.
  fileprivate func scale(to other: Unit) -> Double? {
    guard let zero = try? convert(0, to: other), zero == 0 else { return self == other ? 1 : nil }
    return try? convert(1, to: other)
  }
}

/// The attributes of a record's origin.
struct AppleFields {
  var type = ""
  var unit: String?
  var source = ""
  var sourceVersion: String?
  var device: String?

  init() {}

  init(_ element: XMLElement) {
    type = element["type"] ?? ""
    unit = element["unit"]
    source = element["sourceName"] ?? ""
    sourceVersion = element["sourceVersion"]
    device = element["device"]
  }

  var sourceRevision: SourceRevision {
    SourceRevision(
      identifier: source.isEmpty ? "apple" : "apple.\(source)", name: source.isEmpty ? "Apple Health" : source,
      version: sourceVersion)
  }
}

/// The origins that were met, by the bytes of their attributes.
struct AppleOriginTable {
  private(set) var origins: [AppleOrigin] = []
  private var byBytes: [Key: Int] = [:]
  private var byDigest: [[UInt8]: Int] = [:]
  private var last: [UInt8] = []
  private var lastIndex = 0

  static let most = 1 << 12

  /// Bytes that are hashed and compared as a whole: an array does so byte by byte.
  private struct Key: Hashable {
    let bytes: [UInt8]

    static func == (one: Key, other: Key) -> Bool { one.bytes.isSame(as: other.bytes) }

    func hash(into hasher: inout Hasher) {
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
  }

  /// The place of the origin with those bytes.
  mutating func place(of bytes: [UInt8], _ make: () -> AppleOrigin) -> Int {
    if !last.isEmpty, bytes.isSame(as: last) { return lastIndex }
    var index: Int
    if let found = byBytes[Key(bytes: bytes)] {
      index = found
    } else {
      let origin = make()
      // The same metadata may stand in another order.
      index = byDigest[origin.digest] ?? origins.count
      if index == origins.count {
        byDigest[origin.digest] = index
        origins.append(origin)
      }
      // Whoever writes each record in other words must not fill the memory.
      if byBytes.count >= Self.most { byBytes = [:] }
      byBytes[Key(bytes: bytes)] = index
    }
    lastIndex = index
    // A copy of its own: the caller writes into its bytes again.
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: bytes)
    return index
  }

  /// Adds the numbers of records that came in, by the short name of the type.
  func add(to counts: inout [String: Int]) {
    for origin in origins where origin.count > 0 {
      counts[AppleNames.short(origin.typeName), default: 0] += origin.count
    }
  }
}
