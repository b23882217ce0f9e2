package import HealthModel

extension RouteLocation {
  /// A line of an answer: `{"timeMicroseconds","latitude","longitude","altitude"?,"horizontalAccuracy"?,"verticalAccuracy"?,"speed"?,"course"?}`.
  ///
  /// Numbers in degrees, metres and metres a second, in the fewest digits that read back as the same. What is not known is absent.
  package var line: JSONValue {
    let known: [(String, Double?)] = [
      ("altitude", altitude), ("horizontalAccuracy", horizontalAccuracy), ("verticalAccuracy", verticalAccuracy),
      ("speed", speed), ("course", course),
    ]
    return .object(
      [
        .init("timeMicroseconds", .integer(time.microseconds)), .init("latitude", .number(latitude)),
        .init("longitude", .number(longitude)),
      ] + known.compactMap { name, value in value.map { .init(name, .number($0)) } })
  }
}
