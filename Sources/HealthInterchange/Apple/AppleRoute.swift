package import HealthModel
internal import Support

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

/// The locations of a GPX file that belong to a workout of Apple's export.
package struct AppleRouteReader {
  private var reader = GPXReader()
  private let span: TimeSpan
  private var leftOut = ReadingAccount()
  /// The locations in the order of the file.
  package private(set) var locations: [RouteLocation] = []

  /// The most locations of a file: one a second for a day and a half.
  package static let mostLocations = 1 << 17

  /// - Parameter span: What lies outside is left out.
  package init(in span: TimeSpan) {
    self.span = span
  }

  /// The skipped parts, and why.
  package var account: ReadingAccount {
    var account = reader.account
    account.add(leftOut)
    return account
  }

  package mutating func read(_ bytes: [UInt8]) throws(FileDamage) {
    var elements: [ForeignElement] = []
    defer { take(elements) }
    try reader.read(bytes, into: &elements)
  }

  package mutating func finish() throws(FileDamage) {
    var elements: [ForeignElement] = []
    defer { take(elements) }
    try reader.finish(into: &elements)
  }

  private mutating func take(_ elements: [ForeignElement]) {
    for case .location(let location) in elements {
      guard (try? location.validate()) != nil else {
        leftOut.leave(out: "location that is out of range")
        continue
      }
      guard location.time >= span.start, location.time <= span.end else {
        leftOut.leave(out: "location outside its workout")
        continue
      }
      guard locations.count < Self.mostLocations else {
        leftOut.leave(out: "location above \(Self.mostLocations) of a route")
        continue
      }
      locations.append(location)
    }
  }
}
