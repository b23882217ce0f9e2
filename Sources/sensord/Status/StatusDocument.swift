internal import HealthModel
internal import Ingestion
internal import Sensors

/// What the status file holds: who records, into what, and what the recorder last said about itself.
struct StatusDocument: Hashable {
  /// The recorder's version, process and start, the latter in microseconds since 1970 (UTC).
  var version: String
  var processIdentifier: Int32
  var started: Int64
  /// When the file was written, in microseconds since 1970 (UTC).
  var updated: Int64
  var store: String
  var status: RecorderStatus
}

extension StatusDocument {
  /// The file's content and the answer to `status --json`; null where something is unknown.
  var json: JSONValue {
    [
      "version": .string(version),
      "pid": .integer(processIdentifier),
      "started": Self.time(started),
      "updated": Self.time(updated),
      "store": .string(store),
      "state": .string(status.state.rawValue),
      "problem": .string(status.problem),
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
