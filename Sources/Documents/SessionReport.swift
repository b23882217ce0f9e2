package import HealthModel
package import Support

/// One session with its quality report: the answer of `sensord show`.
package struct SessionReport: Hashable, Sendable {
  package var session: SessionSummary
  package var runs: [Run]
  package var gaps: [RecordingGap]
  /// The points that somebody marked, in order of time.
  package var markers: [SessionMarker]
  /// Whether the dates are in doubt, since the clock was not set.
  package var isDoubtful: Bool
  /// The time of the rate in each zone; nil where no zones are configured.
  package var zones: ZoneTimes?
  /// The number of beats with each flag that marks an artefact, in the order of exports; without flags that do not occur.
  package var artefacts: [Artefact]
  /// The indication that the session's variability is that of an arrhythmia.
  package var rhythm: RhythmIndication

  /// The figures of heart rate variability that are not stored because the session does not allow them, with the reason.
  package var refusals: [Refusal]

  /// A figure that is not given.
  package struct Refusal: Hashable, Sendable {
    /// The figure's key in JSON, and its name for a person.
    package var key: String
    package var name: String
    package var reason: String
  }

  /// A flag and the number of beats that have it.
  package struct Artefact: Hashable, Sendable {
    package var name: String
    package var beats: Int
  }

  /// The gaps of one reason.
  package struct GapCause: Hashable, Sendable {
    package var reason: String
    package var count = 0
    package var microseconds: Int64 = 0
    /// The sum of the estimates; nil where no gap of this reason has an estimate.
    package var estimatedLostBeats: Double?
    /// Whether the gaps without an estimate make the sum a lower bound.
    package var isLowerBound = false
  }

  /// A run in the report.
  package struct Run: Hashable, Sendable {
    /// The first and the last beat, in microseconds since 1970 (UTC).
    package var start: Int64
    package var end: Int64
    package var beats: Int
    package var uncertaintyMicroseconds: Int64

    /// The length from the first beat to the last.
    package var microseconds: Int64 { Timestamp(microseconds: end).microseconds(since: Timestamp(microseconds: start)) }
  }

  package init(
    session: SessionSummary, heartbeats: HeartbeatSeries, gaps: [RecordingGap], markers: [SessionMarker] = [],
    isDoubtful: Bool = false, zones: ZoneTimes? = nil
  ) {
    self.session = session
    self.gaps = gaps
    self.markers = markers
    self.isDoubtful = isDoubtful
    self.zones = zones
    rhythm = RhythmIndication(HeartRateVariability(NNIntervals(heartbeats)))
    refusals = Self.refusals(session, heartbeats)
    artefacts = Heartbeat.Flags.named.filter { $0.flag != .firstOfRun }.compactMap { flag, name in
      let beats = heartbeats.beats.count { $0.flags.contains(flag) }
      return beats > 0 ? Artefact(name: name, beats: beats) : nil
    }
    var spans: [(first: Int64, last: Int64)] = []
    for located in heartbeats.locatedBeats {
      let time = located.time.microseconds
      if located.run == spans.count { spans.append((time, time)) } else { spans[located.run].last = time }
    }
    runs = zip(heartbeats.runs, spans).map { run, span in
      Run(
        start: span.first, end: span.last, beats: run.beats.count,
        uncertaintyMicroseconds: run.map.uncertaintyMicroseconds)
    }
  }

  private static func refusals(_ session: SessionSummary, _ heartbeats: HeartbeatSeries) -> [Refusal] {
    let bounds = TimeSpan(start: session.start, end: session.end)
    // Without a beat there is nothing to expect, unless the sensor pretends to have some.
    guard let span = bounds, !heartbeats.beats.isEmpty || session.variabilityRefusal != nil else { return [] }
    let figures = session.variability
    let report = VariabilityReport(NNIntervals(heartbeats), in: span, refusal: session.variabilityRefusal)
    let measures: [(VariabilityMeasure, Double?, String, String)] = [
      (.sdnn, figures.sdnnMilliseconds, "sdnnMilliseconds", "SDNN"),
      (.rmssd, figures.rmssdMilliseconds, "rmssdMilliseconds", "RMSSD"), (.pnn50, figures.pnn50, "pnn50", "pNN50"),
    ]
    return measures.compactMap { measure, value, key, name in
      guard value == nil else { return nil }
      do throws(VariabilityRefusal) {
        _ = try report.figure(measure)
        return nil
      } catch {
        return Refusal(key: key, name: name, reason: error.description)
      }
    }
  }

  /// The gaps by their reasons, in the order in which these first occur.
  package var gapCauses: [GapCause] {
    var causes: [GapCause] = []
    for gap in gaps {
      let place = causes.firstIndex { $0.reason == gap.reason } ?? causes.endIndex
      if place == causes.endIndex { causes.append(GapCause(reason: gap.reason)) }
      causes[place].count += 1
      let (sum, overflow) = causes[place].microseconds.addingReportingOverflow(gap.end.microseconds(since: gap.start))
      causes[place].microseconds = overflow ? .max : sum
      if let lost = gap.estimatedLostBeats {
        causes[place].estimatedLostBeats = (causes[place].estimatedLostBeats ?? 0) + lost
      } else {
        causes[place].isLowerBound = true
      }
    }
    return causes
  }

  /// The metadata that the person or program gave with the request for the session, in the order of the keys.
  package var metadata: [(key: String, value: MetadataValue)] {
    session.metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The object of `show --json`.
  package var json: JSONValue {
    var members = session.members(isDoubtful: isDoubtful)
    let device = session.device
    members.append(
      .init(
        "sensor",
        [
          "manufacturer": .string(device.manufacturer), "model": .string(device.model),
          "serialNumber": .string(device.uniqueDeviceIdentifier), "hardware": .string(device.hardwareVersion),
          "firmware": .string(device.firmwareVersion), "software": .string(device.softwareVersion),
        ]))
    members.append(.init("rhythm", rhythm.json))
    members.append(.init("hrvRefused", .object(refusals.map { .init($0.key, .string($0.reason)) })))
    var quality = session.quality.metadata.sorted { $0.key < $1.key }.map {
      JSONValue.Member($0.key, $0.value.plain)
    }
    quality.append(.init("artefacts", .object(artefacts.map { .init($0.name, .integer($0.beats)) })))
    quality.append(.init("gapsByCause", .object(gapCauses.map { .init($0.reason, Self.json($0)) })))
    quality.append(.init("gaps", .array(gaps.map(Self.json))))
    members.append(.init("quality", .object(quality)))
    members.append(.init("metadata", .object(metadata.map { .init($0.key, $0.value.plain) })))
    members.append(
      .init(
        "markers", .array(markers.map { ["time": .string($0.time.iso8601()), "text": .string($0.text)] })))
    if let zones { members.append(.init("zones", zones.json)) }
    members.append(.init("runs", .array(runs.enumerated().map { Self.json($0.element, index: $0.offset) })))
    return .object(members)
  }

  private static func json(_ run: Run, index: Int) -> JSONValue {
    [
      "index": .integer(Int64(index)), "start": .string(Timestamp(microseconds: run.start).iso8601()),
      "end": .string(Timestamp(microseconds: run.end).iso8601()), "beats": .integer(run.beats),
      "uncertaintyMilliseconds": .number(Double(run.uncertaintyMicroseconds) / 1_000),
    ]
  }

  private static func json(_ cause: GapCause) -> JSONValue {
    [
      "count": .integer(cause.count), "seconds": .number(Double(cause.microseconds) / 1e6),
      "estimatedLostBeats": .number(cause.estimatedLostBeats),
    ]
  }

  private static func json(_ gap: RecordingGap) -> JSONValue {
    [
      "reason": .string(gap.reason), "detail": .string(gap.detail),
      "start": .string(gap.start.iso8601()),
      "end": .string(gap.end.iso8601()),
      "estimatedLostBeats": .number(gap.estimatedLostBeats),
    ]
  }
}

extension RhythmIndication {
  /// Keys are stable.
  package var json: JSONValue {
    ["relativeRMSSD": .number(relativeRMSSD), "sinusLimit": .number(Self.sinusLimit), "doubtful": .bool(isDoubtful)]
  }
}

extension ZoneTimes {
  /// The member of `show --json`; keys are stable.
  package var json: JSONValue {
    let (resting, maximum): (Double?, Double) =
      switch zones.basis {
      case .maximum(let maximum): (nil, maximum)
      case .reserve(let resting, let maximum): (resting, maximum)
      }
    let rows = zip(zip(zones.borders, zones.lowerRates), times).map { border, time -> JSONValue in
      ["fromPercent": .integer(border.0), "fromRate": .number(border.1), "seconds": .number(Double(time) / 1e6)]
    }
    return [
      "basis": .string(resting == nil ? "maximum" : "reserve"), "maximum": .number(maximum),
      "resting": .number(resting), "belowSeconds": .number(Double(below) / 1e6), "zones": .array(rows),
    ]
  }
}

extension MetadataValue {
  /// The value alone, as reports of one recording have it; a time is ISO 8601.
  var plain: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .integer(let integer): .integer(integer)
    case .real(let real): .number(real)
    case .flag(let flag): .bool(flag)
    case .time(let time): .string(time.iso8601())
    case .quantity(let quantity): ["value": .number(quantity.value), "unit": .string(quantity.unit.symbol)]
    }
  }
}
