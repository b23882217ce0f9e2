import FoundationEssentials
import HealthModel
package import Ingestion
package import Support
import Timeline

/// The content of the status file: the recorder, its store, and its last status.
package struct StatusDocument: Hashable, Sendable {
  /// The recorder's version, process and start, the latter in microseconds since 1970 (UTC).
  package var version: String
  package var processIdentifier: Int32
  package var started: Int64
  /// The time of writing, in microseconds since 1970 (UTC).
  package var updated: Int64
  /// The same moment by the boot clock, in microseconds; nil in a file of an earlier version.
  package var bootMicroseconds: Int64?
  package var store: String
  package var status: RecorderStatus

  package init(
    version: String, processIdentifier: Int32, started: Int64, updated: Int64, bootMicroseconds: Int64? = nil,
    store: String, status: RecorderStatus
  ) {
    self.version = version
    self.processIdentifier = processIdentifier
    self.started = started
    self.updated = updated
    self.bootMicroseconds = bootMicroseconds
    self.store = store
    self.status = status
  }
}

extension StatusDocument {
  /// The time up to which ages in this document count: its own wall clock, carried on by the boot clock, which nobody sets.
  ///
  /// - Parameters:
  ///   - wall: The wall clock now, in microseconds since 1970 (UTC): for a file of an earlier version.
  ///   - boot: The boot clock now, in microseconds.
  /// - Returns: The time, in microseconds since 1970 (UTC).
  package func now(wall: Int64, boot: Int64) -> Int64 {
    guard let bootMicroseconds, boot >= bootMicroseconds else { return wall }
    return updated &+ (boot - bootMicroseconds)
  }

  /// The answer to `status --json`: the file's content, and a line for each file of the journal that waits for a person.
  package func answer(setAside: [String]) -> JSONValue {
    guard case .object(let members) = json else { return json }
    return .object(members + [JSONValue.Member("setAside", .array(setAside.map { .string($0) }))])
  }

  /// The file's content; null where something is unknown.
  package var json: JSONValue {
    [
      "version": .string(version),
      "pid": .integer(processIdentifier),
      "started": Self.time(started),
      "updated": Self.time(updated),
      "bootMicroseconds": .integer(bootMicroseconds),
      "store": .string(store),
      "state": .string(status.state.rawValue),
      "problem": .string(status.problem),
      "valuesInMemory": .integer(status.valuesInMemory),
      "clockNotSet": .integer(status.doubtful),
      "sensors": .array(status.sensors.map(Self.json)),
    ]
  }

  private static func json(_ sensor: SensorStatus) -> JSONValue {
    [
      "address": .string(sensor.address.description),
      "name": .string(sensor.name),
      "state": .string(sensor.state.rawValue),
      "since": time(sensor.since),
      "session": .string(sensor.session),
      "sessionStart": time(sensor.sessionStart),
      "bpm": .integer(sensor.beatsPerMinute),
      "rateAt": time(sensor.rateAt),
      "contact": .bool(sensor.contact),
      "battery": .integer(sensor.battery),
      "notifications": .integer(sensor.notifications),
      "beats": .integer(sensor.beats),
      "gaps": .integer(sensor.gaps),
      "losses": .integer(sensor.losses),
      "junk": .integer(sensor.junk),
      "lostValues": .integer(sensor.lostValues),
      "lostMilliseconds": .integer(sensor.lostMicroseconds / 1000),
      "provisional": sensor.provisional.map(json) ?? .null,
      "lastDisconnectReason": .string(sensor.lastDisconnectReason),
      "nextTry": time(sensor.nextTry),
      "problem": .string(sensor.problem),
      "namesake": .string(sensor.namesake?.description),
    ]
  }

  private static func json(_ quality: ProvisionalQuality) -> JSONValue {
    [
      "until": time(quality.until),
      "beats": .integer(quality.beats),
      "flagged": .integer(quality.flagged),
      "lastFiveMinutes": [
        "beats": .integer(quality.recentBeats),
        "flagged": .integer(quality.recentFlagged),
        "rmssdMilliseconds": .number(quality.rmssdMilliseconds),
      ],
    ]
  }

  private static func time(_ microseconds: Int64?) -> JSONValue {
    .string(microseconds.map { Timestamp(microseconds: $0).iso8601() })
  }
}

extension StatusDocument {
  /// Reads what ``json`` wrote; nil for other bytes, for example a later version's file.
  package init?(reading bytes: [UInt8]) {
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)),
      let state = RecorderState(rawValue: document.state),
      let started = Timestamp(iso8601: document.started)?.microseconds,
      let updated = Timestamp(iso8601: document.updated)?.microseconds
    else { return nil }
    let sensors = document.sensors.compactMap(\.status)
    guard sensors.count == document.sensors.count else { return nil }
    var status = RecorderStatus(state: state, problem: document.problem, sensors: sensors)
    status.valuesInMemory = document.valuesInMemory
    status.doubtful = document.clockNotSet ?? 0
    self.init(
      version: document.version, processIdentifier: document.pid, started: started, updated: updated,
      bootMicroseconds: document.bootMicroseconds, store: document.store, status: status)
  }

  private struct Document: Decodable {
    var version: String
    var pid: Int32
    var started: String
    var updated: String
    /// Missing where the recorder is of an earlier version.
    var bootMicroseconds: Int64?
    var store: String
    var state: String
    var problem: String?
    var valuesInMemory: Int
    /// Missing where the recorder is of an earlier version.
    var clockNotSet: Int?
    var sensors: [Sensor]
  }

  private struct Sensor: Decodable {
    var address: String
    var name: String?
    var state: String
    var since: String
    var session: String?
    var sessionStart: String?
    var bpm: UInt16?
    var rateAt: String?
    var contact: Bool?
    var battery: UInt8?
    var notifications: Int
    var beats: Int
    /// Missing where the recorder is of an earlier version.
    var gaps: Int?
    var losses: Int
    var junk: Int
    var lostValues: Int
    var lostMilliseconds: Int64
    var provisional: Provisional?
    var lastDisconnectReason: String?
    var nextTry: String?
    var problem: String?
    var namesake: String?

    var status: SensorStatus? {
      guard let address = SensorAddress(address), let state = SensorStatus.State(rawValue: state),
        let since = Timestamp(iso8601: since)?.microseconds
      else { return nil }
      var status = SensorStatus(address: address, name: name, state: state, since: since)
      status.session = session
      status.sessionStart = sessionStart.flatMap { Timestamp(iso8601: $0)?.microseconds }
      status.beatsPerMinute = bpm
      status.rateAt = rateAt.flatMap { Timestamp(iso8601: $0)?.microseconds }
      status.contact = contact
      status.battery = battery
      status.notifications = notifications
      status.beats = beats
      status.gaps = gaps ?? 0
      status.losses = losses
      status.junk = junk
      status.lostValues = lostValues
      status.lostMicroseconds = lostMilliseconds * 1000
      status.provisional = provisional?.quality
      status.lastDisconnectReason = lastDisconnectReason
      status.nextTry = nextTry.flatMap { Timestamp(iso8601: $0)?.microseconds }
      status.problem = problem
      status.namesake = namesake.flatMap { SensorAddress($0) }
      return status
    }
  }
  private struct Provisional: Decodable {
    struct Recent: Decodable {
      var beats: Int
      var flagged: Int
      var rmssdMilliseconds: Double?
    }

    var until: String
    var beats: Int
    var flagged: Int
    var lastFiveMinutes: Recent

    var quality: ProvisionalQuality? {
      guard let until = Timestamp(iso8601: until)?.microseconds else { return nil }
      return ProvisionalQuality(
        beats: beats, flagged: flagged, recentBeats: lastFiveMinutes.beats, recentFlagged: lastFiveMinutes.flagged,
        rmssdMilliseconds: lastFiveMinutes.rmssdMilliseconds, until: until)
    }
  }
}
