package import HealthModel

/// The locations of a GPX file (GPX 1.1) with what Apple's exports have in its extensions: speed, course and accuracies.
package struct GPXReader {
  private let contents: GPXContents
  private let stream: XMLStream

  /// The most locations of a file: one a second for a day and a half.
  package static let mostLocations = 1 << 17

  /// - Parameter span: What lies outside is left out.
  package init(in span: TimeSpan) {
    contents = GPXContents(span)
    stream = XMLStream(contents)
  }

  /// What was read, as it stands there.
  package var locations: [RouteLocation] { contents.locations }

  /// What was left out, and why.
  package var account: ReadingAccount { contents.account }

  package mutating func read(_ bytes: [UInt8]) throws(FileDamage) {
    try stream.read(bytes)
  }

  package mutating func finish() throws(FileDamage) {
    try stream.read([], isLast: true)
  }
}

/// What the elements of GPX mean.
final class GPXContents: XMLContents {
  private(set) var locations: [RouteLocation] = []
  private(set) var account = ReadingAccount()
  private let span: TimeSpan
  private var text = ElementText()
  private var location: RouteLocation?
  private var time: Timestamp?

  init(_ span: TimeSpan) {
    self.span = span
  }

  func begin(_ element: XMLElement) {
    text.removeAll()
    guard element.name == "trkpt" else { return }
    time = nil
    location = element.number("lat").flatMap { latitude in
      element.number("lon").map { RouteLocation(at: span.start, latitude: latitude, longitude: $0) }
    }
  }

  func text(_ bytes: [UInt8]) {
    text.append(bytes)
  }

  func end(_ name: String) {
    switch name {
    case "time": time = Timestamp(iso8601: text.words)
    case "ele": location?.altitude = number
    case "speed": location?.speed = number.flatMap { $0 < 0 ? nil : $0 }
    case "course": location?.course = number.flatMap { $0 < 0 ? nil : $0 == 360 ? 0 : $0 }
    case "hAcc": location?.horizontalAccuracy = number.flatMap { $0 < 0 ? nil : $0 }
    case "vAcc": location?.verticalAccuracy = number.flatMap { $0 < 0 ? nil : $0 }
    case "trkpt": endLocation()
    default: break
    }
    text.removeAll()
  }

  private var number: Double? { Double(text.words).flatMap { $0.isFinite ? $0 : nil } }

  private func endLocation() {
    guard var location, let time else { return account.leave(out: "location without a place or a time") }
    self.location = nil
    location.time = time
    guard (try? location.validate()) != nil else { return account.leave(out: "location that is out of range") }
    guard time >= span.start, time <= span.end else { return account.leave(out: "location outside its workout") }
    guard locations.count < GPXReader.mostLocations else {
      return account.leave(out: "location above \(GPXReader.mostLocations) of a route")
    }
    locations.append(location)
  }
}
