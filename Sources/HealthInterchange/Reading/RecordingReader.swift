package import HealthModel

/// Reads one format, from bytes in pieces of any size. A reader holds at most one message, line or element.
package protocol RecordingReader {
  /// The format that this reader reads.
  static var format: ForeignFormat { get }
  /// Whether a file that begins like this is of this format. A file is known by what it has, never by its name.
  static func recognizes(_ beginning: [UInt8]) -> Bool

  init()

  /// Gives the beginning of a recording whose times count from a moment that the file does not have.
  mutating func begin(at start: Timestamp)

  /// The skipped parts of the file, and notes about the file.
  var account: ReadingAccount { get }

  /// Reads on, and adds what was found to `elements`.
  ///
  /// - Throws: ``FileDamage`` where nothing can be read any more. What was found before is in `elements`.
  mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage)

  /// The file has ended.
  mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage)

  /// Returns the elements held back, where bytes break off: nothing more comes, and a line or message that has begun is dropped.
  mutating func breakOff(into elements: inout [ForeignElement])
}

extension RecordingReader {
  package mutating func begin(at start: Timestamp) {}
  package mutating func breakOff(into elements: inout [ForeignElement]) {}
}

/// Formats that can be read.
package enum ForeignFormat: String, Hashable, Sendable, CaseIterable {
  case fit
  case tcx
  case gpx
  /// HRV Logger's CSV.
  case hrvlogger
  /// Intervals as text.
  case rr
  /// Annotations of WFDB, behind their header.
  case wfdb
  /// An `export.xml` like Apple Health's, with sessions that were written here.
  case apple

  /// A new reader of this format.
  package func reader() -> any RecordingReader {
    switch self {
    case .fit: FITReader()
    case .tcx: TCXReader()
    case .gpx: GPXReader()
    case .hrvlogger: HRVLoggerReader()
    case .rr: IntervalTextReader()
    case .wfdb: WFDBReader()
    case .apple: AppleCopyReader()
    }
  }

  /// The format of a file that begins like this; nil for an unknown format. 4,096 bytes are enough.
  package init?(beginning: [UInt8]) {
    let readers: [any RecordingReader.Type] = [
      FITReader.self, TCXReader.self, GPXReader.self, HRVLoggerReader.self, IntervalTextReader.self, WFDBReader.self,
      AppleCopyReader.self,
    ]
    guard let reader = readers.first(where: { $0.recognizes(beginning) }) else { return nil }
    self = reader.format
  }

  /// Whether a file that begins like this is text in UTF-16, which no reader here understands.
  package static func isUTF16(_ beginning: [UInt8]) -> Bool {
    [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0x00, 0x3F, 0x00], [0x00, 0x3C, 0x00, 0x3F]].contains {
      beginning.starts(with: $0)
    }
  }

  /// The reason for which elements are left out whose times count from a moment that only a person knows.
  package static let sinceSwitchedOn = FITClock.sinceSwitchedOn

  /// The resolution of intervals and of times of beats in this format, for people.
  package var resolution: (interval: String, time: String) {
    switch self {
    case .fit: ("1 ms", "1 s")
    case .tcx, .gpx: ("none", "none")
    case .hrvlogger: ("1 ms", "1 s")
    case .rr: ("1 ms", "none")
    case .wfdb: ("1 tick", "1 tick")
    case .apple: ("1/100 s", "1/100 s")
    }
  }

  /// The endings of the file that goes on where one of this format ends, behind a zero byte: the first that is there and has beats. None for most formats.
  package var companions: [String] {
    self == .wfdb ? ["atr", "ecg", "qrs", "wqrs", "gqrs"] : []
  }
}

/// An element that a reader finds in a file, one after the other.
package enum ForeignElement: Hashable, Sendable {
  /// A recording begins; what came before belongs to another one.
  case recording
  /// The recording is a copy of that one: written by this program, from whatever store.
  case identity(RecordingIdentity)
  /// The hardware that measured, as the file names it; later elements add to earlier ones.
  case device(Device)
  /// The program or device that made the file, as the file names it.
  case source(SourceRevision)
  /// The activity, for example running.
  case activity(WorkoutActivityType)
  /// A heart rate.
  case rate(Timestamp, UInt16)
  /// A moment without a value: a clock for the intervals that follow.
  case moment(Timestamp)
  /// The timer starts or stops: where it stands there is nothing.
  case timer(isRunning: Bool, Timestamp)
  /// Rates were lost between the one before and the next: the file marks this, however short the time.
  case lostRates
  /// Beats were lost between the one before and the next: something other than an interval stands there.
  case lostBeats
  /// Times of beats are known to so many milliseconds; by the file's first line alone the first one would be at `knownBy`.
  case timesWithin(milliseconds: Int64, knownBy: Timestamp)
  /// An interval in milliseconds. It follows the one before, or the start of the timer.
  case interval(UInt32)
  /// An interval in milliseconds, whose beat was at that time.
  case placedInterval(UInt32, Timestamp)
  /// A beat at a time of which nothing else is known.
  case beat(Timestamp)
  /// Beats come in so many ticks a second, counted from that moment; nil where the file does not have the moment.
  case ticks(perSecond: Int32, from: Timestamp?)
  /// A run of beats begins with one at that tick.
  case firstBeat(Int64, Heartbeat.Flags)
  /// A beat so many ticks after the one before.
  case nextBeat(UInt32, Heartbeat.Flags)
  /// From now on ticks count from that moment.
  case origin(Timestamp)
  /// A heart rate that was stored elsewhere, and does not say where the clock of the records is.
  case storedRate(Timestamp, UInt16)
  /// A lap ended.
  case lap(Timestamp)
  /// A place of the way.
  case location(RouteLocation)
  /// Another value than the heart's.
  case quantity(RideQuantity, Double, Timestamp)
  /// A sport, as the file sums it up, or announces it.
  case part(RidePart)
  /// A lap or a length with its time.
  case stretch(RideStretch)
}

/// The place where a file cannot be read any further, and why. Everything before the damage stays.
package struct FileDamage: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place: `byte 1234`, `line 12`.
  package var place: String
  /// The problem at this place, without a full stop.
  package var problem: String

  package init(_ place: String, _ problem: String) {
    self.place = place
    self.problem = problem
  }

  package var description: String { "\(place): \(problem)" }
}

/// The parts of a file that a reader skipped, and notes about the file.
package struct ReadingAccount: Hashable, Sendable {
  /// The number of skipped elements of each kind, by the kind's name in the format.
  package var leftOut: [String: Int] = [:]
  /// Notes about the file: a wrong checksum, for instance. At most ``most``.
  package private(set) var notes: [String] = []

  /// So many kinds and notes are reported one by one.
  package static let most = 50

  package init() {}

  mutating func leave(out name: String, _ count: Int = 1) {
    let isKnown = leftOut[name] != nil || leftOut.count < Self.most
    leftOut[isKnown ? name : "others", default: 0] += count
  }

  /// Adds another account.
  package mutating func add(_ other: ReadingAccount) {
    for (name, count) in other.leftOut { leave(out: name, count) }
    for text in other.notes { note(text) }
  }

  package mutating func note(_ text: String) {
    if notes.count < Self.most, !notes.contains(text) { notes.append(text) }
  }
}

/// Formats of others that are recognized and not read: their names for refusals, and what to do.
package enum UnreadFormat {
  /// The name of the format of a file that begins like this, and the remedy; nil for unknown formats.
  package static func name(beginning: [UInt8]) -> (name: String, remedy: String)? {
    let text = String(decoding: beginning.prefix(4096), as: UTF8.self)
    func has(_ part: String) -> Bool { text.contains(part) }
    if text.hasPrefix("[Params]") || text.hasPrefix("\u{FEFF}[Params]") {
      return ("Polar's HRM", "export it as TCX or FIT: Polar Flow and GoldenCheetah do")
    }
    if has("<sml") || has("suunto/sml") || has("\"DeviceLog\"") {
      return ("Suunto's SML", "export it as FIT, which Suunto's app does")
    }
    if has("<pwx") { return ("TrainingPeaks' PWX", "export it as FIT or TCX: GoldenCheetah does") }
    if has("<kml") { return ("KML", "export it as GPX") }
    if text.hasPrefix("SQLite format 3") {
      return ("a database of SQLite", "import what the program that made it exports")
    }
    if text.hasPrefix("{"), has("\"exercises\"") || has("\"exportVersion\"") {
      return ("Polar Flow's JSON", "export the sessions as FIT or TCX")
    }
    return nil
  }

  /// The same for an archive, by the name of a file in it.
  package static func name(inArchive file: String) -> (name: String, remedy: String)? {
    if file.hasSuffix("health_connect_export.db") {
      return ("Health Connect's export", "export single activities as FIT, TCX or GPX")
    }
    if file.hasPrefix("Takeout/"), file.contains("Google") || file.contains("Fit/") || file.contains("Fitbit") {
      return ("Google Takeout", "import the TCX files of its folder Activities")
    }
    return nil
  }
}
