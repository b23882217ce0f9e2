internal import FoundationEssentials
internal import HealthModel
internal import Ingestion
internal import Sensors

extension StatusDocument {
  /// Reads what ``json`` wrote; nil where the bytes are something else, a later version's file perhaps.
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
