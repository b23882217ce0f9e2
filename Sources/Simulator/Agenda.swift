/// Future events in the order of their time; for equal times in the order in which they were added.
///
/// A simulation has some dozens of entries at once (each timeline adds one item at a time), so a sorted array is fast
/// enough.
struct Agenda<Entry> {
  /// Identifies an entry, to cancel it.
  struct ID: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Line {
    let due: SimulationInstant
    let id: ID
    let entry: Entry
  }

  /// Latest first, so that the next entry is the last element.
  private var lines: [Line] = []
  private var entered: UInt64 = 0

  /// When the next entry is due; nil if there is none.
  var next: SimulationInstant? { lines.last?.due }

  /// Adds `entry` at `due`, after all others of the same time.
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

  /// Cancels an entry; does nothing if it is gone.
  mutating func strike(_ id: ID?) {
    guard let id else { return }
    lines.removeAll { $0.id == id }
  }

  /// Cancels every entry that matches.
  mutating func strike(where isMeant: (Entry) -> Bool) {
    lines.removeAll { isMeant($0.entry) }
  }

  /// Removes and returns the next entry that is due at or before `instant`.
  mutating func removeNext(by instant: SimulationInstant) -> (due: SimulationInstant, entry: Entry)? {
    guard let line = lines.last, line.due <= instant else { return nil }
    lines.removeLast()
    return (line.due, line.entry)
  }
}
