/// An instant of simulated time: microseconds since the simulator started.
///
/// The model never reads a clock; its driver passes the time, which may go faster than real time.
struct SimulationInstant: Hashable, Comparable, Sendable {
  /// Microseconds since the start.
  var microseconds: Int64

  /// The moment the simulation begins.
  static let start = SimulationInstant(microseconds: 0)

  /// The moment `seconds` after the start, to the microsecond.
  static func seconds(_ seconds: Double) -> SimulationInstant {
    SimulationInstant(microseconds: Int64((seconds * 1e6).rounded()))
  }

  /// Seconds since the start.
  var seconds: Double { Double(microseconds) / 1e6 }

  static func < (left: SimulationInstant, right: SimulationInstant) -> Bool { left.microseconds < right.microseconds }

  /// The instant `duration` later, truncated to microseconds.
  static func + (instant: SimulationInstant, duration: Duration) -> SimulationInstant {
    SimulationInstant(microseconds: instant.microseconds + duration.wholeMicroseconds)
  }

  /// How long after `right` this moment is.
  static func - (left: SimulationInstant, right: SimulationInstant) -> Duration {
    .microseconds(left.microseconds - right.microseconds)
  }
}

extension Duration {
  /// The duration in microseconds, truncated.
  var wholeMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
