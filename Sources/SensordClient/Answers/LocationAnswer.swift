import HealthModel

/// Locations from lines such as `{"timeMicroseconds":1,"latitude":52.5,"longitude":13.4,"altitude":34}`.
struct LocationAnswer: AnswerDecoder {
  private var locations: [RouteLocation] = []
  private var isComplete = false

  private struct Line: Decodable {
    var complete: Bool?
    var timeMicroseconds: Int64?
    var latitude: Double?
    var longitude: Double?
    var altitude: Double?
    var horizontalAccuracy: Double?
    var verticalAccuracy: Double?
    var speed: Double?
    var course: Double?
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if line.complete == true {
        isComplete = true
      } else if let time = line.timeMicroseconds, let latitude = line.latitude, let longitude = line.longitude {
        locations.append(
          RouteLocation(
            at: Timestamp(microseconds: time), latitude: latitude, longitude: longitude, altitude: line.altitude,
            horizontalAccuracy: line.horizontalAccuracy, verticalAccuracy: line.verticalAccuracy, speed: line.speed,
            course: line.course))
      } else {
        throw .unreadable
      }
    }
  }

  consuming func finish() throws(ClientError) -> [RouteLocation] {
    guard isComplete else { throw .cutOff }
    return locations
  }
}
