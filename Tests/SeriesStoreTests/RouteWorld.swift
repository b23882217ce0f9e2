import FoundationEssentials
import HealthModel
import TestSupport

/// Routes for tests.
enum RouteWorld {
  /// What a receiver tells.
  enum Receiver: CaseIterable {
    /// Whole seconds, seven decimals of a degree, tenths of everything else.
    case decimal
    /// As the sensor fusion of a telephone has it: numbers of no decimal scale, and times with jitter.
    case fused
    /// Places and times, and nothing else.
    case bare
    /// Any numbers in their ranges, each of which may be absent.
    case wild
  }

  /// `count` locations from `start` on, in order of time.
  static func locations(
    _ count: Int, from start: Timestamp, as receiver: Receiver, _ random: inout SeededGenerator
  ) -> [RouteLocation] {
    var (latitude, longitude, course, speed, altitude) = (52.5170365, 13.3888599, 90.0, 2.8, 34.0)
    var time = start
    return (0..<count).map { index in
      func wander(_ by: Double) -> Double { Double.random(in: -by...by, using: &random) }
      func maybe(_ range: ClosedRange<Double>) -> Double? {
        Bool.random(using: &random) ? Double.random(in: range, using: &random) : nil
      }
      if index > 0 { time = time.advanced(byMicroseconds: 1_000_000) }
      course = (course + wander(4) + 360).truncatingRemainder(dividingBy: 360)
      speed = max(0.5, min(5, speed + wander(0.1)))
      altitude += wander(0.3)
      latitude += cosine(course) * speed / 111_000 + wander(3e-6)
      longitude += cosine(course - 90) * speed / 68_000 + wander(3e-6)
      switch receiver {
      case .decimal:
        return RouteLocation(
          at: time, latitude: rounded(latitude, 1e7), longitude: rounded(longitude, 1e7),
          altitude: rounded(altitude, 10), horizontalAccuracy: rounded(4 + wander(1), 10),
          verticalAccuracy: rounded(6 + wander(1), 10), speed: rounded(speed, 10),
          course: rounded(course - 0.05, 10).magnitude)
      case .fused:
        time = time.advanced(byMicroseconds: Int64.random(in: 0...3_000, using: &random))
        return RouteLocation(
          at: time, latitude: latitude, longitude: longitude, altitude: altitude, horizontalAccuracy: 4 + wander(1),
          verticalAccuracy: 6 + wander(1), speed: speed, course: course)
      case .bare:
        return RouteLocation(
          at: time, latitude: rounded(latitude, 1e6), longitude: rounded(longitude, 1e6))
      case .wild:
        time = time.advanced(byMicroseconds: Int64.random(in: -1_000_000...9_000_000, using: &random))
        return RouteLocation(
          at: time, latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random),
          altitude: maybe(-12_000...100_000), horizontalAccuracy: maybe(0...1e300), verticalAccuracy: maybe(0...1e-300),
          speed: maybe(0...10_000), course: maybe(0...359.99))
      }
    }
  }

  private static func rounded(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }

  /// Good enough for a walk: a triangle instead of a cosine.
  private static func cosine(_ degrees: Double) -> Double {
    let turned = abs((degrees + 720).truncatingRemainder(dividingBy: 360) - 180)
    return turned / 90 - 1
  }
}
