import ArgumentParser
import Ingestion
import Reports
import SeriesStore
import Support
import Timeline

/// `sensord status`: the present state of the running recorder.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what the recorder is doing now.",
    discussion: "Ends with 69 where no recorder runs.")

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the status as JSON.")
  var json = false

  mutating func run() throws {
    let environment = ProcessEnvironment.current
    var last: StatusDocument?
    var refusal: FileError?
    for file in try StatusFile.candidates(environment: environment, store: store.path.map { _ in try store.location() })
    {
      let document: StatusDocument?
      do throws(FileError) {
        document = try file.read()
      } catch {
        // A person may have a recorder of their own beside the service's.
        refusal = refusal ?? error
        continue
      }
      guard let document else { continue }
      guard StatusFile.isRunning(document) else {
        last = document
        continue
      }
      // A recorder of another store is not the one that was asked for.
      if store.path != nil, try document.store != store.location().path { continue }
      let now = document.now(wall: LocalTime.now(), boot: HostClock.system.now().microseconds)
      // A user who may not look into the journal's folder sees the rest.
      let setAside = ((try? StoreLocation(path: document.store).setAside()) ?? []).map(\.problem)
      if json {
        return try StandardOutput.write(document.answer(setAside: setAside).text + "\n")
      }
      let text = StatusReport.text(document, now: now, setAside: setAside, columns: StandardOutput.columns)
      return try StandardOutput.write(text)
    }
    if let refusal { throw refusal }
    if let last {
      throw CommandFailure(
        .unavailable,
        "the recorder has ended without saying so; its last status is of \(LocalTime.second(last.updated))",
        remedy: "start it with 'sensord run': it recovers what was recorded")
    }
    throw CommandFailure(.unavailable, "no recorder is running", remedy: "start one with 'sensord run'")
  }
}

/// The text of a status for a person.
enum StatusReport {
  /// A rate older than this is called stale: sensors send about one a second.
  static let staleAfter: Int64 = 5_000_000
  /// The last five minutes are no longer the last ones when they ended this long ago; they are looked at every ten seconds.
  private static let recentFor: Int64 = 60_000_000

  /// The whole answer of `sensord status`; `now` in microseconds since 1970 (UTC), `setAside` a line for each file of the journal
  /// that waits for a person.
  static func text(_ document: StatusDocument, now: Int64, setAside: [String] = [], columns: Int) -> String {
    var text = "\(headline(document.status)), for \(age(since: document.started, now: now))\n"
    if let problem = document.status.problem { text += "\(PrintableText.line(problem))\n" }
    if let held = valuesInMemory(document.status) { text += "\(held)\n" }
    for line in setAside { text += "\(PrintableText.line(line))\n" }
    if let doubtful = doubtful(document.status.doubtful) { text += "\(doubtful)\n" }
    text += "Store  \(PrintableText.line(document.store))\n"
    guard !document.status.sensors.isEmpty else { return text }
    var table = TextTable([
      .init("Sensor", shrinks: true), .init("Address"), .init("State"), .init("For", .right), .init("Rate", .right),
      .init("Beats", .right), .init("Gaps", .right), .init("Bat", .right),
    ])
    for sensor in document.status.sensors {
      table.add([
        sensor.name ?? "", sensor.address.description, describe(sensor.state), age(since: sensor.since, now: now),
        rate(sensor, now: now), "\(sensor.beats)", "\(sensor.gaps)", sensor.battery.map { "\($0)%" } ?? "",
      ])
    }
    return text + "\n" + table.rendered(columns: columns)
      + provisional(document.status.sensors, now: now, columns: columns) + notes(document.status.sensors, now: now)
  }

  /// `240 values are in memory only; a kill loses them`: those that the journal rejected; nil where the journal has all.
  static func valuesInMemory(_ status: RecorderStatus) -> String? {
    switch status.valuesInMemory {
    case 0: nil
    case 1: "1 value is in memory only; a kill loses it"
    case let count: "\(count) values are in memory only; a kill loses them"
    }
  }

  /// `2 recordings have dates of a clock that was not set`; nil without such recordings.
  static func doubtful(_ count: Int) -> String? {
    switch count {
    case 0: nil
    case 1: "1 recording has dates of a clock that was not set; 'sensord sessions' marks it"
    case let count: "\(count) recordings have dates of a clock that was not set; 'sensord sessions' marks them"
    }
  }

  /// The table of the provisional quality of beats in open sessions; empty where it is not known.
  private static func provisional(_ sensors: [SensorStatus], now: Int64, columns: Int) -> String {
    var table = TextTable([
      .init("Sensor", shrinks: true), .init("Address"), .init("Flagged", .right), .init("Last 5 min", .right),
      .init("RMSSD 5 min", .right),
    ])
    for sensor in sensors {
      guard let quality = sensor.provisional else { continue }
      let isRecent = now - quality.until <= recentFor
      table.add([
        sensor.name ?? "", sensor.address.description, share(quality.flagged, of: quality.beats),
        isRecent ? share(quality.recentFlagged, of: quality.recentBeats) : "",
        isRecent ? quality.rmssdMilliseconds.map { "\(FixedPoint.text($0, digits: 0)) ms" } ?? "" : "",
      ])
    }
    return table.isEmpty ? "" : "\nProvisional, until the session is stored:\n" + table.rendered(columns: columns)
  }

  private static func share(_ part: Int, of whole: Int) -> String {
    whole > 0 ? "\(FixedPoint.text(100 * Double(part) / Double(whole), digits: 1))%" : ""
  }

  /// The state of the recorder in words.
  static func headline(_ status: RecorderStatus) -> String {
    switch status.state {
    case .starting: "Starting"
    case .noBus: "Waiting for the message bus"
    case .noBluetoothService: "Waiting for bluetoothd"
    case .noPermission: "Not permitted to use bluetoothd"
    case .noAdapter: "Waiting for a Bluetooth adapter"
    case .adapterOff: "The Bluetooth adapter is off"
    case .noSensorAllowed: "No sensor added yet"
    case .searching: "Waiting for a sensor"
    case .recording: "Recording"
    case .stopping: "Stopping"
    }
  }

  /// `62`, or `62 stale` where the sensor has sent no rate for some seconds.
  static func rate(_ sensor: SensorStatus, now: Int64) -> String {
    guard let rate = sensor.beatsPerMinute, let at = sensor.rateAt else { return "" }
    return now - at > staleAfter ? "\(rate) stale" : "\(rate)"
  }

  /// `1 lost link`: the number of lost links in the open session.
  static func lostLinks(_ sensor: SensorStatus) -> String {
    "\(sensor.losses) lost link\(sensor.losses == 1 ? "" : "s")"
  }

  /// The state in words.
  static func describe(_ state: SensorStatus.State) -> String {
    switch state {
    case .absent: "away"
    case .connecting: "connecting"
    case .linked: "connected"
    case .measuring: "measuring"
    case .silent: "silent"
    case .contactLost: "off skin"
    case .linkLost: "link lost"
    }
  }

  /// A length without minutes and seconds at once, since the column is narrow.
  private static func age(since start: Int64, now: Int64) -> String {
    let seconds = max(0, now - start) / 1_000_000
    return switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) d"
    }
  }

  private static func notes(_ sensors: [SensorStatus], now: Int64) -> String {
    var notes = ""
    for sensor in sensors {
      var parts: [String] = []
      if let at = sensor.rateAt, now - at > staleAfter { parts.append("last rate \(age(since: at, now: now)) ago") }
      if sensor.lostValues > 0 {
        parts.append(
          "\(sensor.lostValues) values lost in \(age(since: -sensor.lostMicroseconds, now: 0)): disk trouble")
      }
      if sensor.losses > 0 { parts.append(lostLinks(sensor)) }
      if let battery = sensor.battery, battery <= SensorEvent.lowBatteryPercent { parts.append("battery low") }
      if sensor.junk > 0 { parts.append("\(sensor.junk) unreadable values") }
      if let reason = sensor.lastDisconnectReason { parts.append("last disconnect: \(PrintableText.line(reason))") }
      if let next = sensor.nextTry, next > now { parts.append("next try in \(age(since: now, now: next))") }
      if let problem = sensor.problem { notes += "\(sensor.address): \(PrintableText.line(problem))\n" }
      if let namesake = sensor.namesake {
        notes += "\(sensor.address): a sensor with its name is near, as \(namesake).\n"
        notes += "  If it is the same: sensord devices replace \(sensor.address) \(namesake)\n"
      }
      if !parts.isEmpty { notes += "\(sensor.address): \(parts.joined(separator: ", "))\n" }
    }
    return notes.isEmpty ? "" : "\n" + notes
  }
}
