import HealthModel

/// The sources of an answer, in order of priority: those that the caller named, then the others as they first came.
struct SourceRanking {
  /// A source with a device, by their rows.
  struct Key: Hashable {
    var source: Int64
    var device: Int64?
  }

  /// In order of priority once settled.
  private(set) var names: [DataSource] = []
  private let priority: [DataSource]
  private var places: [Key: Int] = [:]
  private var firstKeys: [Key] = []

  init(priority: [DataSource]) {
    self.priority = priority
  }

  func rank(of key: Key) -> Int? {
    places[key]
  }

  /// The place of a new key: that of its name, which several revisions of one program share.
  mutating func add(_ key: Key, name: DataSource) -> Int {
    let place: Int
    if let known = names.firstIndex(of: name) {
      place = known
      if (key.device ?? 0, key.source) < (firstKeys[known].device ?? 0, firstKeys[known].source) {
        firstKeys[known] = key
      }
    } else {
      place = names.count
      names.append(name)
      firstKeys.append(key)
    }
    places[key] = place
    return place
  }

  /// Puts the sources in order of priority; gives the new place of each old one.
  mutating func settle() -> [Int] {
    let named = Dictionary(zip(priority, priority.indices)) { first, _ in first }
    let sorted = names.indices.sorted { first, second in
      let ranks = (named[names[first]] ?? .max, named[names[second]] ?? .max)
      guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 }
      let keys = (firstKeys[first], firstKeys[second])
      return (keys.0.device ?? 0, keys.0.source) < (keys.1.device ?? 0, keys.1.source)
    }
    var order = Array(repeating: 0, count: names.count)
    for (rank, place) in sorted.enumerated() { order[place] = rank }
    names = sorted.map { names[$0] }
    return order
  }
}
