import HealthModel

/// The sources of an answer in order of priority: those that the caller named, then the others by the start of their first
/// sample of the type in the whole store, then by name.
///
/// Row numbers change when something is deleted and restored, and queries differ in their range: neither may decide whose
/// values count.
struct SourceRanking {
  /// A source with a device, by their rows.
  struct Key: Hashable {
    var source: Int64
    var device: Int64?
  }

  /// The sources; in order of priority after ``rank()``.
  private(set) var names: [DataSource] = []
  private let priority: [DataSource]
  private var places: [Key: Int] = [:]
  /// The start of each source's first sample, as far as ``note(start:of:)`` was called.
  private var starts: [DataSource: Int64] = [:]

  init(priority: [DataSource]) {
    self.priority = priority
  }

  func rank(of key: Key) -> Int? {
    places[key]
  }

  /// Adds a key and returns its place: that of its name, which several revisions of one program share.
  mutating func add(_ key: Key, name: DataSource) -> Int {
    let place = names.firstIndex(of: name) ?? names.count
    if place == names.count { names.append(name) }
    places[key] = place
    return place
  }

  /// Whether ``rank()`` needs the starts of first samples, because the named priorities do not decide the order alone.
  var needsStarts: Bool {
    names.count { !priority.contains($0) } > 1
  }

  /// Adds the start of a sample of a source; the earliest one counts.
  mutating func note(start: Int64, of name: DataSource) {
    starts[name] = min(start, starts[name] ?? .max)
  }

  /// Sorts the sources by priority. Returns the new position of each old one.
  mutating func rank() -> [Int] {
    let named = Dictionary(zip(priority, priority.indices)) { first, _ in first }
    let keys = names.map { name in
      (named[name] ?? .max, starts[name] ?? .max, name.source, name.device ?? "")
    }
    let sorted = names.indices.sorted { keys[$0] < keys[$1] }
    var order = Array(repeating: 0, count: names.count)
    for (rank, place) in sorted.enumerated() { order[place] = rank }
    names = sorted.map { names[$0] }
    return order
  }
}
