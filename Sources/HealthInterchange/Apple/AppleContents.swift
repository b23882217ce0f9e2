internal import Bits
internal import HealthModel

/// Apple's export, as its elements come.
final class AppleContents: XMLContents {
  static let hasTexts = false
  static let takesPlainElements = true

  /// The kinds of elements that own metadata, events and statistics.
  enum Owner {
    case record
    case correlation
    case workout
    case activity
    case event
    case other
  }

  /// A record as it is being read.
  struct Record {
    /// The attributes of an origin, each with a byte that identifies it; then the metadata.
    var origin: [UInt8] = []
    var start: Timestamp?
    var end: Timestamp?
    var zone: Int64 = 0
    var number: Double?
    var value: [UInt8] = []
    var beats: [(time: Timestamp, rate: Double)]?
    var lostBeats = 0

    /// Becomes the record that begins.
    mutating func begin(_ element: XMLElement) {
      origin.removeAll(keepingCapacity: true)
      value.removeAll(keepingCapacity: true)
      (start, end, number, beats, lostBeats) = (nil, nil, nil, nil, 0)
      element.forEachAttribute { name, value in add(name, value) }
    }

    private mutating func add(_ name: XMLName, _ value: XMLBytes) {
      var field: UInt8 = 0
      switch name.first {
      case UInt8(ascii: "t") where name.isName("type"): field = 1
      case UInt8(ascii: "u") where name.isName("unit"): field = 2
      case UInt8(ascii: "d") where name.isName("device"): field = 5
      case UInt8(ascii: "v") where name.isName("value"):
        number = AppleNumber.double(value)
        value.append(to: &self.value)
      case UInt8(ascii: "e") where name.isName("endDate"): end = AppleTime.moment(value)?.time
      case UInt8(ascii: "s"):
        if name.isName("sourceName") {
          field = 3
        } else if name.isName("sourceVersion") {
          field = 4
        } else if name.isName("startDate"), let moment = AppleTime.moment(value) {
          (start, zone) = (moment.time, moment.zone)
        }
      default: break
      }
      guard field > 0 else { return }
      origin.append(field)
      let address = field == 5 ? Self.address(in: value) : 0..<0
      value.append(0..<address.lowerBound, to: &origin)
      value.append(address.upperBound..<value.count, to: &origin)
      origin.append(0)
    }

    /// A device's address in memory, `0x283b3c1e0`: it may differ from record to record.
    private static func address(in device: XMLBytes) -> Range<Int> {
      var place = 0
      let limit = min(24, device.count - 1)
      while place < limit, device[place] != 0x30 || device[place + 1] != 0x78 { place += 1 }
      guard place < limit else { return 0..<0 }
      var end = place + 2
      while end < device.count, (0x30...0x39).contains(device[end]) || (0x61...0x66).contains(device[end] | 0x20) {
        end += 1
      }
      return place..<end
    }
  }

  let wanted: Set<String>?
  let since: Timestamp?
  var account = AppleAccount()
  private(set) var records = 0
  private(set) var path: [String] = []
  var owners: [Owner] = []
  var record = Record()
  var correlation: AppleCorrelation?
  var workout: AppleWorkout?
  var audiogram: AppleAudiogram?
  var prescription: ApplePrescription?

  var origins = AppleOriginTable()
  var series: AppleSeriesTable
  /// Values of which a correlation may follow, and their origins.
  var heldOrigins = AppleOriginTable()
  var held = AppleSeriesTable()
  /// Values that are parts of correlations, by the series in which they also stand.
  var parts: [UInt64: [SampleDraft.QuantityValue]] = [:]
  var partCount = 0
  var objects: [AppleObject] = []
  /// The size of the workouts among them, some of which have thousands of events.
  var workoutSize = 0
  /// The clinical records' files, by their last names.
  var files: [String: AppleClinicalFile] = [:]
  /// The files of routes, by their last names.
  var routes: [String: AppleRouteFile] = [:]

  init(wanted: Set<String>?, since: Timestamp?, capacity: Int) {
    (self.wanted, self.since) = (wanted, since)
    series = AppleSeriesTable(capacity: capacity)
  }

  func begin(_ element: XMLElement) {
    // Nearly all are one of these, without a prefix.
    let name = element.isName("Record") ? "Record" : element.isName("MetadataEntry") ? "MetadataEntry" : element.name
    path.append(name)
    switch name {
    case "Record": beginRecord(element)
    case "MetadataEntry": addMetadata(element)
    case "InstantaneousBeatsPerMinute": addBeat(element)
    case "HeartRateVariabilityMetadataList": record.beats = []
    case "Correlation":
      correlation = AppleCorrelation(element)
      owners.append(.correlation)
    case "Workout":
      workout = AppleWorkout(element)
      owners.append(.workout)
    case "WorkoutActivity":
      workout?.beginActivity(element)
      owners.append(.activity)
    case "WorkoutEvent":
      workout?.beginEvent(element, inActivity: owners.last.map { $0 == .activity } ?? false)
      owners.append(.event)
    case "WorkoutStatistics": workout?.addStatistics(element, inActivity: owners.last.map { $0 == .activity } ?? false)
    case "WorkoutRoute": owners.append(.other)
    case "FileReference": addRoute(element)
    case "Audiogram":
      audiogram = AppleAudiogram(element)
      owners.append(.other)
    case "SensitivityPoint": audiogram?.add(element)
    case "VisionPrescription":
      prescription = ApplePrescription(element)
      owners.append(.other)
    case "RightEye": prescription?.right = AppleEye(element)
    case "LeftEye": prescription?.left = AppleEye(element)
    case "Attachment": account.reading.leave(out: "attachment of a prescription")
    case "ExportDate": account.exported = element["value"]
    case "Me": account.reading.leave(out: "characteristics (Me)")
    case "ActivitySummary": account.reading.leave(out: "ActivitySummary: computed from what came in")
    case "ClinicalRecord": addClinicalRecord(element)
    case "HealthData": break
    default: account.reading.leave(out: "element \(name.prefix(60))")
    }
  }

  func instruction(_ target: String, _ data: String) {
    guard target == RecordingAnnouncement.target, RecordingAnnouncement(data) != nil else { return }
    account.reading.note("what sensord wrote stands in it, too, and counts as its values: import that by itself")
  }

  func end(_ name: String) {
    path.removeLast()
    switch name {
    case "Record": endRecord()
    case "Correlation":
      owners.removeLast()
      endCorrelation()
    case "Workout":
      owners.removeLast()
      endWorkout()
    case "WorkoutActivity":
      owners.removeLast()
      workout?.endActivity()
    case "WorkoutEvent":
      owners.removeLast()
      workout?.endEvent()
    case "WorkoutRoute": owners.removeLast()
    case "Audiogram":
      owners.removeLast()
      endAudiogram()
    case "VisionPrescription":
      owners.removeLast()
      endPrescription()
    default: break
    }
  }

  private func addMetadata(_ element: XMLElement) {
    guard let owner = owners.last else { return }
    guard owner != .record else {
      let before = record.origin.count
      var isSingular = false
      element.forEachAttribute { name, value in
        if name.isName("key") {
          record.origin.append(6)
          value.append(to: &record.origin)
          isSingular = value.count > 12 && AppleNames.singular.contains(value.string)
        } else if name.isName("value") {
          record.origin.append(7)
          value.append(to: &record.origin)
        }
        record.origin.append(0)
      }
      if isSingular { record.origin.removeLast(record.origin.count - before) }
      return
    }
    guard let key = element["key"], !AppleNames.singular.contains(key) else { return }
    let entry = (key: key, value: element["value"] ?? "")
    switch owner {
    case .correlation: correlation?.metadata.append(entry)
    case .workout: workout?.metadata.append(entry)
    case .activity: workout?.activity?.metadata.append(entry)
    case .event: workout?.event?.metadata.append(entry)
    case .record: break
    case .other:
      audiogram?.metadata.append(entry)
      prescription?.metadata.append(entry)
    }
  }

  // MARK: Giving

  /// Whether it is time to give away what was read.
  var isDue: Bool { series.isDue || objects.count >= Self.mostObjects || workoutSize >= Self.mostOfWorkouts }

  private static let mostObjects = 1 << 10
  private static let mostOfWorkouts = 2 << 20

  /// Gives away enough for the file to go on; at the end everything.
  func take(all: Bool) -> [AppleObject] {
    series.take(origins.origins, all: all || origins.origins.count > AppleOriginTable.most, into: &objects)
    if origins.origins.count > AppleOriginTable.most {
      origins.add(to: &account.read)
      origins = AppleOriginTable()
    }
    if all || held.count > Self.mostHeld {
      if !all {
        account.reading.note("there are more values of blood pressure than are looked through for repetitions")
      }
      held.take(heldOrigins.origins, all: true, without: parts, into: &objects)
    }
    if all {
      origins.add(to: &account.read)
      origins = AppleOriginTable()
      account.repeated += series.repeated + held.repeated
      if series.tooMany > 0 {
        account.reading.leave(out: "value above \(AppleSeriesTable.mostOfDay) of a day", series.tooMany)
      }
    }
    defer { (objects, workoutSize) = ([], 0) }
    return objects
  }

  static let mostHeld = 1 << 17

  func count(_ type: String) { account.read[type, default: 0] += 1 }

  func isAskedFor(_ type: String, until end: Timestamp) -> Bool {
    if wanted?.contains(type) ?? true, since.map({ end >= $0 }) ?? true { return true }
    account.notAskedFor += 1
    return false
  }

  // MARK: Records

  private func beginRecord(_ element: XMLElement) {
    records += 1
    owners.append(.record)
    record.begin(element)
  }

  private func addBeat(_ element: XMLElement) {
    guard record.beats != nil, owners.last.map({ $0 == .record }) ?? false, let start = record.start,
      let end = record.end,
      let span = TimeSpan(start: start, end: end)
    else { return }
    var time: Timestamp?
    var rate: Double?
    element.forEachAttribute { name, value in
      if name.isName("bpm") { rate = AppleNumber.double(value) }
      if name.isName("time") {
        time = AppleTime.ofDay(value).flatMap { AppleTime.moment(ofDay: $0, in: span, zone: record.zone) }
      }
    }
    guard let time, let rate, rate > 0, (record.beats?.count ?? 0) < 100_000 else {
      record.lostBeats += 1
      return
    }
    record.beats?.append((time, rate))
  }

  private func endRecord() {
    owners.removeLast()
    let place = origins.place(of: record.origin) { Self.origin(record.origin, wanted: wanted) }
    let origin = origins.origins[place]
    guard let start = record.start, let end = record.end else {
      return account.reading.leave(out: "record without a time")
    }
    guard let span = TimeSpan(start: start, end: end) else {
      return account.reading.leave(out: "record whose end is before its start")
    }
    if correlation != nil { return addPart(origin, over: span) }
    if let beats = record.beats { endBeats(beats, origin, over: span) }
    guard origin.meaning != .unknown else { return account.leaveOutUnknown(AppleNames.short(origin.typeName)) }
    guard origin.isWanted, since.map({ end >= $0 }) ?? true else {
      account.notAskedFor += 1
      return
    }
    switch origin.meaning {
    case .quantity(let type):
      guard let value = value(as: type, of: origin, over: span) else { return }
      origin.count += 1
      if origin.isHeld {
        let other = heldOrigins.place(of: record.origin) { Self.origin(record.origin, wanted: wanted) }
        held.add(value, to: heldOrigins.origins[other], at: other)
      } else {
        series.add(value, to: origin, at: place)
      }
    case .category(let type):
      let text = String(decoding: record.value, as: UTF8.self)
      guard let value = AppleNames.value(text) else {
        return account.reading.leave(out: "\(type.identifier) with the value \(text.prefix(60))")
      }
      origin.count += 1
      objects.append(
        AppleObject(
          digest: origin.digest([value.rawValue, start.microseconds, end.microseconds]), version: 1,
          source: origin.source,
          device: origin.device, metadata: origin.metadata,
          content: .draft(SampleDraft(type, value, over: span, device: origin.device, metadata: origin.metadata))))
    case .correlation, .unknown: account.leaveOutUnknown(AppleNames.short(origin.typeName))
    }
  }

  /// The record's value in the type's unit.
  func value(
    as type: QuantityType, of origin: AppleOrigin, over span: TimeSpan
  ) -> SampleDraft.QuantityValue? {
    guard var value = record.number else {
      account.reading.leave(out: "record without a value")
      return nil
    }
    if let factor = origin.factor {
      if !origin.isInUnit { value *= factor }
    } else if let unit = origin.unit, let converted = try? unit.convert(value, to: type.unit) {
      value = converted
    } else {
      let name = origin.unitName.map { "'\($0.prefix(30))'" } ?? "none"
      account.reading.leave(out: "\(type.identifier) in a unit that cannot be converted: \(name)")
      return nil
    }
    guard value.isFinite, value.magnitude <= type.greatestMagnitude, value > 0 || !origin.isOfBeats else {
      account.reading.leave(out: "\(type.identifier) out of range")
      return nil
    }
    return SampleDraft.QuantityValue(value, over: span)
  }

  /// Takes the collected bytes of an origin apart.
  private static func origin(_ bytes: [UInt8], wanted: Set<String>?) -> AppleOrigin {
    var fields = AppleFields()
    var metadata: [(key: String, value: String)] = []
    for part in bytes.split(separator: 0) {
      let text = String(decoding: part.dropFirst(), as: UTF8.self)
      switch part.first {
      case 1: fields.type = text
      case 2: fields.unit = text
      case 3: fields.source = text
      case 4: fields.sourceVersion = text
      case 5: fields.device = text
      case 6: metadata.append((text, ""))
      case 7: if let last = metadata.indices.last { metadata[last].value = text }
      default: break
      }
    }
    return AppleOrigin(fields, metadata: metadata, wanted: wanted)
  }

  private func endBeats(_ beats: [(time: Timestamp, rate: Double)], _ origin: AppleOrigin, over span: TimeSpan) {
    if record.lostBeats > 0 { account.reading.leave(out: "beat whose time is not in its record", record.lostBeats) }
    let ordered = beats.sorted { $0.time < $1.time }
    guard let first = ordered.first, let last = ordered.last, isAskedFor("heartbeatSeries", until: last.time) else {
      return
    }
    let start = min(span.start, first.time)
    var ticks: [SampleDraft.HeartbeatTick] = []
    var before: Timestamp?
    for beat in ordered {
      var isAfterGap = false
      if let before {
        let interval = beat.time.microseconds(since: before)
        // Times are to a hundredth of a second.
        guard interval > 0 else { continue }
        isAfterGap = Double(interval) > 60e6 / beat.rate * 1.2 + 20_000
      }
      ticks.append(
        SampleDraft.HeartbeatTick(beat.time.microseconds(since: start) / 1000, precededByGap: isAfterGap))
      before = beat.time
    }
    count("heartbeatSeries")
    guard let whole = TimeSpan(start: start, end: last.time) else { return }
    // The resolution of the file: pNN50 needs to know that intervals are known to 10 ms only.
    let areHundredths = ticks.allSatisfy { $0.ticks % 10 == 0 }
    if areHundredths { for place in ticks.indices { ticks[place].ticks /= 10 } }
    let draft = SampleDraft(
      .heartbeats(timescale: areHundredths ? 100 : 1000, ticks), over: whole, device: origin.device,
      metadata: origin.metadata)
    objects.append(
      AppleObject(
        digest: origin.digest([span.start.microseconds, span.end.microseconds, -1]), version: Int64(ticks.count),
        source: origin.source, device: origin.device, metadata: origin.metadata, content: .draft(draft)))
  }
}
