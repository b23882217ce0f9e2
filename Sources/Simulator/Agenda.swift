/// What is due when: entries in the order of their time, and of their entry where the times are equal.
///
/// A simulation holds some dozens of entries at once (timelines enter one item at a time), so a sorted array is enough.
struct Agenda<Entry> {
  /// Names an entry, to cross it out.
  struct ID: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Line {
    let due: SimulationInstant
    let id: ID
    let entry: Entry
  }

  /// Latest first, so that the next one is taken off the end.
  private var lines: [Line] = []
  private var entered: UInt64 = 0

  /// When the next entry is due; nil when there is none.
  var next: SimulationInstant? { lines.last?.due }

  /// Enters `entry` for `due`, after all others of the same moment.
  @discardableResult
  mutating func enter(_ entry: Entry, at due: SimulationInstant) -> ID {
    let id = ID(number: entered)
    entered += 1
    var low = 0
    var high = lines.count
    while low < high {
      let middle = (low + high) / 2
      if lines[middle].due > due { low = middle + 1 } else { high = middle }
    }
    lines.insert(Line(due: due, id: id, entry: entry), at: low)
    return id
  }

  /// Crosses an entry out; one that is gone already is no error.
  mutating func strike(_ id: ID?) {
    guard let id else { return }
    lines.removeAll { $0.id == id }
  }

  /// Crosses out every entry of a kind.
  mutating func strike(where isMeant: (Entry) -> Bool) {
    lines.removeAll { isMeant($0.entry) }
  }

  /// Takes the next entry that is due at or before `instant`.
  mutating func take(by instant: SimulationInstant) -> (due: SimulationInstant, entry: Entry)? {
    guard let line = lines.last, line.due <= instant else { return nil }
    lines.removeLast()
    return (line.due, line.entry)
  }
}
