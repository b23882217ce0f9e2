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
  /// What it is, in every export that has it.
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
