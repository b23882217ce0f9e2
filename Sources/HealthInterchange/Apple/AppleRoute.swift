internal import Bits
package import HealthModel

/// A file of a workout's route that an export names.
package struct AppleRouteFile: Hashable, Sendable {
  /// The workout to which it belongs: see ``AppleObject/digest``.
  package var workout: [UInt8]
  /// Whether the workout was asked for as well, and so comes before it.
  package var comesWithWorkout: Bool
  /// The workout's time: no location of its route lies outside.
  package var span: TimeSpan
  /// The program that saved the workout.
  package var source: SourceRevision
  package var device: Device?
  /// The identity of the route, the same in every export that has the route.
  var digest: [UInt8]

  /// The one that comes as the `place`-th of its workout.
  init(_ read: AppleWorkout, _ workout: [UInt8], isComing: Bool, span: TimeSpan, place: Int) {
    (self.workout, comesWithWorkout, self.span) = (workout, isComing, span)
    (source, device) = (read.fields.sourceRevision, read.fields.device.flatMap(AppleNames.device))
    var hash = SHA256()
    hash.add((workout + Array("route".utf8) + [UInt8(truncatingIfNeeded: place)])[...])
    digest = hash.digest()
  }
}

extension AppleContents {
  func addRoute(_ element: XMLElement) {
    guard workout != nil, let path = element["path"], path.utf8.count <= 512 else {
      return account.reading.leave(out: "route without a workout or a file")
    }
    guard workout?.routes.count ?? 0 < 256 else { return account.reading.leave(out: "route of a workout above 256") }
    workout?.routes.append(AppleArchive.lastName(path))
  }

  /// Keeps the names of the files of a workout's routes.
  func endRoutes(of read: AppleWorkout, _ workout: [UInt8], isComing: Bool, over span: TimeSpan) {
    for (place, name) in read.routes.enumerated() {
      guard isAskedFor("workoutRoute", until: span.end) else { continue }
      guard routes.count < Self.mostFiles else {
        account.reading.leave(out: "route above \(Self.mostFiles)")
        continue
      }
      routes[name] = AppleRouteFile(read, workout, isComing: isComing, span: span, place: place)
    }
  }
}

extension AppleObject {
  /// A route, as its file has it.
  package init(_ locations: [RouteLocation], of file: AppleRouteFile) {
    self.init(
      digest: file.digest, version: Int64(locations.count), source: file.source, device: file.device, metadata: [:],
      content: .route(ofWorkout: file.workout, comesWithWorkout: file.comesWithWorkout, locations))
  }
}

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

  /// The locations in the order of the file.
  package var locations: [RouteLocation] { contents.locations }

  /// The skipped parts, and why.
  package var account: ReadingAccount { contents.account }

  package mutating func read(_ bytes: [UInt8]) throws(FileDamage) {
    try stream.read(bytes)
  }

  package mutating func finish() throws(FileDamage) {
    try stream.read([], isLast: true)
  }
}

/// The locations that the elements of GPX stand for.
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
