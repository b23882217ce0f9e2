internal import HealthModel

/// GPX 1.0 and 1.1: tracks with their places, times, heart rates and what else stands in extensions. Each track is a ride.
///
/// Extensions are known by the names of their elements, under any prefix: Garmin's TrackPointExtension, Cluetrust's gpxdata, and
/// elements that programs write without a namespace.
package struct GPXReader: RecordingReader {
  package static let format = ForeignFormat.gpx

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    let text = String(decoding: beginning.prefix(4096), as: UTF8.self)
    return text.contains("<gpx") || text.contains(":gpx ") && text.contains("topografix.com/GPX")
  }

  private let contents: GPXContents
  private let stream: XMLStream

  package init() {
    contents = GPXContents()
    stream = XMLStream(contents)
  }

  package var account: ReadingAccount { contents.account }

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    defer { elements += contents.take() }
    try stream.read(bytes)
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    defer { elements += contents.take() }
    try stream.read([], isLast: true)
  }
}

/// The elements that those of GPX stand for.
final class GPXContents: XMLContents {
  private(set) var account = ReadingAccount()
  private var elements: [ForeignElement] = []
  private var text = ElementText()
  private var path: [String] = []
  private var creator: String?
  private var name: String?
  private var kind: String?
  private var isBegun = false
  private var point: Point?
  private var last: Timestamp?
  private var isSegmentOpen = false

  private struct Point {
    init(latitude: Double?, longitude: Double?) { (self.latitude, self.longitude) = (latitude, longitude) }

    let latitude: Double?
    let longitude: Double?
    var time: Timestamp?
    var isZoneless = false
    var rate: UInt16?
    var altitude: Double?
    var speed: Double?
    var course: Double?
    var accuracies: (horizontal: Double?, vertical: Double?) = (nil, nil)
    var quantities: [(RideQuantity, Double)] = []
  }

  func take() -> [ForeignElement] {
    defer { elements = [] }
    return elements
  }

  func begin(_ element: XMLElement) {
    text.removeAll()
    let name = element.name
    switch name {
    case "gpx": creator = element["creator"].map { String($0.prefix(120)) }
    case "trk": (self.name, kind, isBegun) = (nil, nil, false)
    case "trkseg": isSegmentOpen = false
    case "trkpt":
      point = Point(latitude: element.number("lat"), longitude: element.number("lon"))
    case "wpt", "rte": account.leave(out: name == "wpt" ? "waypoint" : "planned route")
    default: break
    }
    path.append(name)
  }

  func text(_ bytes: [UInt8]) {
    text.append(bytes)
  }

  func end(_ name: String) {
    path.removeLast()
    defer { text.removeAll() }
    if point != nil, name != "trkpt" { return endValue(name) }
    switch (name, path.last) {
    case ("name", "trk"): self.name = text.words
    case ("type", "trk"): kind = text.words
    case ("trkpt", _): endPoint()
    case ("trkseg", _):
      if let last, isSegmentOpen { elements.append(.timer(isRunning: false, last)) }
      isSegmentOpen = false
    case ("trk", _):
      // Programs may name the sport behind the points.
      if isBegun, let kind, let activity = FITSports.activity(named: kind) { elements.append(.activity(activity)) }
      last = nil
    default: break
    }
  }

  private func endValue(_ name: String) {
    let words = text.words
    let number = Double(words).flatMap { $0.isFinite ? $0 : nil }
    switch name {
    case "time" where path.last == "trkpt":
      point?.time = Timestamp(iso8601: words)
      if point?.time == nil { point?.isZoneless = Timestamp(iso8601: words + "Z") != nil }
    case "ele": point?.altitude = number
    case "hr", "heartrate", "HeartRate", "heart_rate": endRate(number)
    case "speed": point?.speed = number.flatMap { $0 < 0 || $0 > 1000 ? nil : $0 }
    case "course": point?.course = number.flatMap { $0 < 0 || $0 > 360 ? nil : $0 == 360 ? 0 : $0 }
    case "hAcc": point?.accuracies.horizontal = number.flatMap { $0 < 0 ? nil : $0 }
    case "vAcc": point?.accuracies.vertical = number.flatMap { $0 < 0 ? nil : $0 }
    case "cad", "cadence", "RunCadence": add(.cadence, number, 0...500)
    case "power", "PowerInWatts", "watts": add(.power, number, 0...10_000)
    case "atemp", "temp", "Temperature": add(.temperature, number, -100...100)
    case "wtemp": add(.waterTemperature, number, -5...60)
    case "distance": add(.distance, number, 0...1e7)
    case "extensions", "TrackPointExtension", "Extensions", "time": break
    default: if number != nil { account.leave(out: String(name.prefix(60))) }
    }
  }

  private func add(_ quantity: RideQuantity, _ number: Double?, _ limits: ClosedRange<Double>) {
    guard let number, limits.contains(number) else { return account.leave(out: "\(quantity.rawValue) that is none") }
    point?.quantities.append((quantity, number))
  }

  private func endRate(_ number: Double?) {
    guard let number, number > -1e6, number < 1e6 else {
      return account.leave(out: "heart rate without a number")
    }
    guard number.rounded() >= 1, number < 255.5 else {
      return account.leave(out: number < 0.5 ? "heart rate of 0" : "heart rate above 255")
    }
    if number != number.rounded() {
      account.note("heart rates have fractions: they are rounded to whole beats a minute")
    }
    point?.rate = UInt16(number.rounded())
  }

  private func endPoint() {
    guard let point else { return }
    self.point = nil
    guard let time = point.time else {
      guard point.isZoneless else { return account.leave(out: "location without a place or a time") }
      account.leave(out: "time without a zone")
      return account.note(
        "its times have no zone, so nobody knows when they were: Z or +01:00 has to stand behind each time")
    }
    if !isBegun { beginTrack() }
    if !isSegmentOpen {
      elements.append(.timer(isRunning: true, time))
      isSegmentOpen = true
    }
    last = time
    elements.append(point.rate.map { .rate(time, $0) } ?? .moment(time))
    for (quantity, value) in point.quantities { elements.append(.quantity(quantity, value, time)) }
    if let speed = point.speed { elements.append(.quantity(.speed, speed, time)) }
    if let altitude = point.altitude { elements.append(.quantity(.altitude, altitude, time)) }
    guard let latitude = point.latitude, let longitude = point.longitude else {
      return account.leave(out: "location without a place or a time")
    }
    elements.append(
      .location(
        RouteLocation(
          at: time, latitude: latitude, longitude: longitude, altitude: point.altitude,
          horizontalAccuracy: point.accuracies.horizontal, verticalAccuracy: point.accuracies.vertical,
          speed: point.speed, course: point.course)))
  }

  /// Begins a recording at the first point with a time: a planned way has none.
  private func beginTrack() {
    isBegun = true
    elements.append(.recording)
    let maker = creator ?? "GPX"
    elements.append(.source(SourceRevision(identifier: "gpx.\(maker)", name: maker)))
    let activity = kind.flatMap { FITSports.activity(named: $0) }
    if let activity { elements.append(.activity(activity)) }
    var part = RidePart(activity: activity)
    part.sport = kind
    part.name = name
    elements.append(.part(part))
  }
}
