internal import HealthModel

/// The FIT file of somebody's ride with the heart of a recording: rates in records that have none, and intervals where the file has none at
/// all, behind the record of their second.
///
/// Every other message stays as it is, byte for byte. New are definitions, header and checksum.
package struct RideMerge {
  /// The file.
  package private(set) var bytes: [UInt8] = []
  /// The number of records that got a rate.
  package private(set) var rates = 0
  /// The number of intervals that were added.
  package private(set) var intervals = 0
  /// Whether there are records with times at all.
  package private(set) var hasRecords = false
  /// The records and intervals without an addition, counted by reason.
  package var leftOut: [(reason: String, count: Int)] {
    func count(_ fate: Fate) -> Int { fates.reduce(0) { $0 + ($1 == fate ? 1 : 0) } }
    return [
      ("record that has a heart rate already", ratesThere),
      ("record at whose time none was recorded", ratesMissing),
      ("interval, of which the ride has its own", count(.isThere)),
      ("interval at whose time there is no record", count(.hasNoRecord)),
    ].filter { $0.1 > 0 }
  }

  /// The outcome for an interval.
  private enum Fate {
    case hasNoRecord, isThere, wasAdded
  }

  private let rateOfSecond: [Int64: UInt8]
  private let beats: [(second: Int64, interval: UInt16)]
  /// The outcome for each beat of ``beats``.
  private var fates: [Fate]
  private var ratesThere = 0
  private var ratesMissing = 0
  /// The first beat behind those that were added to the file under way.
  private var beat = 0
  /// The time of the first record of that file.
  private var firstSecond: Int64?

  /// A rate counts for so many seconds more, where the next is late.
  static let mostRateAge: Int64 = 2
  /// Records may be so many seconds apart: devices that record less often than each second.
  static let mostRecordGap: Int64 = 10
  /// The additions may be so many times as long as the ride, and a mebibyte: definitions could be repeated without end.
  private static let mostGrowth = 16

  /// - Parameters:
  ///   - recording: Whose heart it was.
  ///   - ride: The whole file; several where files are chained.
  /// - Throws: ``FileDamage`` for a file that is not FIT or not whole: the rest could not be copied.
  package init(of recording: InterchangeRecording, into ride: [UInt8]) throws(FileDamage) {
    var rateOfSecond: [Int64: UInt8] = [:]
    for rate in RateSeconds(recording) where rate.beatsPerMinute > 0 && rate.beatsPerMinute < 255 {
      rateOfSecond[rate.second] = UInt8(clamping: rate.beatsPerMinute)
    }
    self.rateOfSecond = rateOfSecond
    beats = MeasuredBeats(recording, followsClock: true).compactMap { beat in
      beat.interval.map { (beat.time.microseconds.flooredSeconds, UInt16(clamping: $0)) }
    }
    fates = [Fate](repeating: .hasNoRecord, count: beats.count)
    var position = 0
    while position < ride.count {
      let file = try RideFile(ride, at: position)
      try append(file, of: ride)
      position = file.end
    }
    guard position > 0 else { throw FileDamage("byte 0", "here no FIT file begins") }
  }

  private mutating func append(_ file: RideFile, of ride: [UInt8]) throws(FileDamage) {
    let start = bytes.count
    // Chained files are rides of their own: the next may be older, and begins where its own records do.
    (beat, firstSecond) = (0, nil)
    bytes += ride[file.start..<file.start + file.headerLength]
    var output = RideOutput(unused: file.unusedLocal)
    for message in file.messages {
      guard bytes.count <= Self.mostGrowth * ride.count + 1 << 20 else {
        throw FileDamage("byte \(message.range.lowerBound)", "its definitions would have to be repeated without end")
      }
      guard let definition = message.definition else {
        output.define(message.local, Array(ride[message.range]), &bytes)
        continue
      }
      let contents = ride[message.range]
      guard let second = message.second else {
        output.append(contents, as: message.local, &bytes)
        continue
      }
      hasRecords = true
      let isMissing = lacksRate(definition, contents)
      if isMissing, let rate = rate(at: second) {
        rates += 1
        output.append(contents, as: message.local, withRate: rate, definition, &bytes)
      } else {
        if isMissing { ratesMissing += 1 } else { ratesThere += 1 }
        output.append(contents, as: message.local, &bytes)
      }
      let due = intervals(upTo: second, areThere: file.hasIntervals)
      intervals += due.count
      output.append(intervals: due, &bytes)
    }
    finish(from: start, file)
  }

  /// Whether a record has no rate, and a place for one.
  private func lacksRate(_ definition: FITDefinition, _ contents: ArraySlice<UInt8>) -> Bool {
    guard let (field, start) = definition.place(of: 3) else { return definition.fields.count < 255 }
    // 0 is what devices write that look for a strap.
    guard field.size == 1, field.base == FITProfile.Base.uint8.rawValue else { return false }
    let value = contents[contents.startIndex + 1 + start]
    return value == 0xFF || value == 0
  }

  private func rate(at second: Int64) -> UInt8? {
    (0...Self.mostRateAge).lazy.compactMap { rateOfSecond[second - $0] }.first
  }

  /// The intervals since the record before, or since a while before a first record; empty where the file has its own.
  private mutating func intervals(upTo second: Int64, areThere: Bool) -> ArraySlice<UInt16> {
    let earliest = firstSecond ?? second
    firstSecond = earliest
    let first = max(earliest, second - Self.mostRecordGap + 1)
    var (start, end) = (beat, beats.count)
    while start < end {
      let middle = (start + end) / 2
      if beats[middle].second < first { start = middle + 1 } else { end = middle }
    }
    while end < beats.count, beats[end].second <= second { end += 1 }
    // A record with a wrong time gets no beats, and leaves the beats of later records in place.
    if end > start { beat = end }
    for place in start..<max(start, end) where fates[place] != .wasAdded {
      fates[place] = areThere ? .isThere : .wasAdded
    }
    return areThere ? [] : beats[start..<end].map(\.interval)[...]
  }

  /// The length and both checksums.
  private mutating func finish(from start: Int, _ file: RideFile) {
    let length = UInt32(bytes.count - start - file.headerLength)
    for place in 0..<4 { bytes[start + 4 + place] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(place))) }
    if file.headerLength == 14, bytes[start + 12] != 0 || bytes[start + 13] != 0 {
      var checksum = FITChecksum()
      checksum.add(bytes[start..<start + 12])
      bytes[start + 12] = UInt8(truncatingIfNeeded: checksum.value)
      bytes[start + 13] = UInt8(checksum.value >> 8)
    }
    var checksum = FITChecksum()
    checksum.add(bytes[start...])
    bytes += [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
  }
}

/// The last definition written of each local type: a message can only follow the definition that describes it.
private struct RideOutput {
  private var wanted = [[UInt8]](repeating: [], count: 16)
  private var written = [[UInt8]](repeating: [], count: 16)
  /// The local type of intervals: a type that the file does not use, or the last type, which is then defined again.
  private let intervalLocal: UInt8

  init(unused: UInt8?) {
    intervalLocal = unused ?? 15
  }

  mutating func define(_ local: UInt8, _ definition: [UInt8], _ bytes: inout [UInt8]) {
    wanted[Int(local)] = definition
    write(definition, as: local, &bytes)
  }

  private mutating func write(_ definition: [UInt8], as local: UInt8, _ bytes: inout [UInt8]) {
    bytes += definition
    written[Int(local)] = definition
  }

  private mutating func require(_ definition: [UInt8], as local: UInt8, _ bytes: inout [UInt8]) {
    if written[Int(local)] != definition { write(definition, as: local, &bytes) }
  }

  mutating func append(_ message: ArraySlice<UInt8>, as local: UInt8, _ bytes: inout [UInt8]) {
    require(wanted[Int(local)], as: local, &bytes)
    bytes += message
  }

  /// The record with a rate: in the field that it has for one, or in a new one behind its others.
  mutating func append(
    _ record: ArraySlice<UInt8>, as local: UInt8, withRate rate: UInt8, _ definition: FITDefinition,
    _ bytes: inout [UInt8]
  ) {
    var form = wanted[Int(local)]
    var record = Array(record)
    if let (_, start) = definition.place(of: 3) {
      record[1 + start] = rate
    } else {
      form.insert(contentsOf: [3, 1, FITProfile.Base.uint8.rawValue], at: 6 + 3 * definition.fields.count)
      form[5] += 1
      record.insert(rate, at: 1 + definition.nativeLength)
    }
    require(form, as: local, &bytes)
    bytes += record
  }

  mutating func append(intervals: ArraySlice<UInt16>, _ bytes: inout [UInt8]) {
    guard !intervals.isEmpty else { return }
    let message = FITProfile.Message.variability
    require(
      [0x40 | intervalLocal, 0, 0, UInt8(truncatingIfNeeded: message), UInt8(message >> 8), 1, 0, 10, 0x84],
      as: intervalLocal, &bytes)
    var left = intervals
    while !left.isEmpty {
      bytes.append(intervalLocal)
      for place in 0..<5 {
        let value = place < left.count ? left[left.startIndex + place] : 0xFFFF
        bytes += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
      }
      left = left.dropFirst(5)
    }
  }
}
