package import DBus
package import HealthModel

// A location is a structure of eight: when, in microseconds since 1970, then latitude, longitude, altitude, horizontal and vertical
// accuracy, speed and course. What its receiver did not know is NaN.

extension RouteLocation {
  package static let signature: Signature = "(xddddddd)"

  private static let numbers: [any KeyPath<RouteLocation, Double?> & Sendable] = [
    \.altitude, \.horizontalAccuracy, \.verticalAccuracy, \.speed, \.course,
  ]

  package var value: Value {
    .structure(
      [.int64(time.microseconds), .double(latitude), .double(longitude)]
        + Self.numbers.map { .double(self[keyPath: $0] ?? .nan) })
  }

  /// - Throws: ``ArgumentError/invalid(_:)``. Ranges are looked at by whoever stores it.
  package init(_ value: Value) throws(ArgumentError) {
    guard let fields = value.structure, fields.count == 8, let time = fields[0].int64 else {
      throw .invalid("locations")
    }
    let numbers = fields.dropFirst().compactMap(\.double)
    guard numbers.count == 7 else { throw .invalid("locations") }
    func known(_ place: Int) -> Double? { numbers[place].isNaN ? nil : numbers[place] }
    self.init(
      at: Timestamp(microseconds: time), latitude: numbers[0], longitude: numbers[1], altitude: known(2),
      horizontalAccuracy: known(3), verticalAccuracy: known(4), speed: known(5), course: known(6))
  }
}
