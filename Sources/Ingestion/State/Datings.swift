import FoundationEssentials
import Sensors
import SeriesStore

/// When what the clock dated wrongly is dated anew: once a minute at most. Pure.
struct Datings {
  /// When the next one is allowed.
  private var earliest: BootInstant?
  /// When one is due that had to wait; nil where none is.
  private(set) var deadline: BootInstant?
  private var isUnderWay = false

  /// Microseconds.
  static let interval: Int64 = 60_000_000

  /// There may be something to be dated anew.
  ///
  /// - Returns: Whether to do it now.
  mutating func begin(at now: BootInstant) -> Bool {
    if isUnderWay || earliest.map({ now < $0 }) ?? false {
      deadline = earliest ?? now
      return false
    }
    isUnderWay = true
    earliest = now.advanced(byMicroseconds: Self.interval)
    deadline = nil
    return true
  }

  /// Done; where that failed it is tried again.
  mutating func ended(failed: Bool) {
    isUnderWay = false
    if failed { deadline = earliest }
  }

  /// Whether one that had to wait is due.
  mutating func timeReached(_ now: BootInstant) -> Bool {
    guard let deadline, deadline <= now, !isUnderWay else { return false }
    self.deadline = nil
    return true
  }

  /// Those that are moved together: all of one clock, which was slewed by less than a hundredth of a second meanwhile.
  static func groups(_ misdated: [(object: UUID, shift: Int64)]) -> [(objects: [UUID], shift: Int64)] {
    var groups: [(objects: [UUID], shift: Int64)] = []
    for (object, shift) in misdated {
      if let place = groups.firstIndex(where: { abs($0.shift &- shift) <= 10_000 }) {
        groups[place].objects.append(object)
      } else {
        groups.append(([object], shift))
      }
    }
    return groups
  }
}
