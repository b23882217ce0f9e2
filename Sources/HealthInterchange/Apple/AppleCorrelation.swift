internal import Bits
internal import HealthModel

/// A correlation as it is being read.
struct AppleCorrelation {
  let fields: AppleFields
  let start: Timestamp?
  let end: Timestamp?
  var metadata: [(key: String, value: String)] = []
  var parts: [SampleDraft] = []
  var digests: [[UInt8]] = []

  init(_ element: XMLElement) {
    fields = AppleFields(element)
    (start, end) = element.span
  }
}

extension XMLElement {
  /// The beginning and end of an element, as far as it has them.
  var span: (start: Timestamp?, end: Timestamp?) {
    (moment("startDate"), moment("endDate"))
  }

  /// The moment of an attribute.
  func moment(_ wanted: StaticString) -> Timestamp? {
    var moment: Timestamp?
    forEachAttribute { name, value in
      if name.isName(wanted) { moment = AppleTime.moment(value)?.time }
    }
    return moment
  }

  func number(_ name: String) -> Double? {
    self[name].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// A number with the unit of another attribute.
  func quantity(_ name: String, unit: String) -> Quantity? {
    guard let number = number(name), let unit = self[unit].flatMap(AppleNames.unit) else { return nil }
    return Quantity(number, unit)
  }
}

extension AppleContents {
  /// The record that has ended is a part of a correlation; it stands by itself elsewhere in the file, too.
  func addPart(_ origin: AppleOrigin, over span: TimeSpan) {
    guard case .quantity(let type) = origin.meaning, let value = value(as: type, of: origin, over: span) else { return }
    let digest = origin.digest([span.start.microseconds.flooredDay])
    let key = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    correlation?.parts.append(
      SampleDraft(type, Quantity(value.value, type.unit), over: span, device: origin.device, metadata: origin.metadata))
    correlation?.digests.append(
      origin.digest([span.start.microseconds, span.end.microseconds, Int64(bitPattern: value.value.bitPattern)]))
    guard origin.isHeld, partCount < Self.mostHeld else { return }
    parts[key, default: []].append(value)
    partCount += 1
  }

  func endCorrelation() {
    guard let correlation else { return }
    self.correlation = nil
    let name = AppleNames.short(correlation.fields.type)
    guard case .correlation(let type) = AppleNames.meaning(of: correlation.fields.type) else {
      return account.leaveOutUnknown(name)
    }
    guard let end = correlation.parts.map(\.span.end).max(), let start = correlation.parts.map(\.span.start).min(),
      let span = TimeSpan(start: start, end: end),
      type.parts.allSatisfy({ part in correlation.parts.contains { $0.type == .quantity(part) } })
    else { return account.reading.leave(out: "\(name) without its parts") }
    guard isAskedFor(name, until: end) else { return }
    var hash = SHA256()
    for digest in correlation.digests { hash.add(digest[...]) }
    let source = correlation.fields.sourceRevision
    let device = correlation.fields.device.flatMap(AppleNames.device)
    let metadata = AppleOrigin.metadata(correlation.metadata)
    count(name)
    objects.append(
      AppleObject(
        digest: hash.digest(), version: 1, source: source, device: device, metadata: metadata,
        content: .draft(
          SampleDraft(.correlation(type, correlation.parts), over: span, device: device, metadata: metadata))))
  }
}
