/// Reads one format, from bytes in pieces of any size. It keeps no more of them than one message, line or element.
package protocol RecordingReader {
  /// Which format.
  static var format: ForeignFormat { get }
  /// Whether a file that begins like this is of this format. A file is known by what it has, never by its name.
  static func recognizes(_ beginning: [UInt8]) -> Bool

  init()

  /// What was passed over, and what else is to be told.
  var account: ReadingAccount { get }

  /// Reads on, and adds what was found to `elements`.
  ///
  /// - Throws: ``FileDamage`` where nothing can be read any more. What was found before is in `elements`.
  mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage)

  /// The file has ended.
  mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage)

  /// Gives what it holds back, where bytes break off: nothing more comes, and a line or message that has begun is none.
  mutating func breakOff(into elements: inout [ForeignElement])
}

extension RecordingReader {
  package mutating func breakOff(into elements: inout [ForeignElement]) {}
}

/// Formats that can be read.
package enum ForeignFormat: String, Hashable, Sendable, CaseIterable {
  case fit
  case tcx
  /// HRV Logger's CSV.
  case hrvlogger
  /// Intervals as text.
  case rr
  /// Annotations of WFDB, behind their header.
  case wfdb
  /// An `export.xml` like Apple Health's, with sessions that were written here.
  case apple

  /// Who reads it.
  package func reader() -> any RecordingReader {
    switch self {
    case .fit: FITReader()
    case .tcx: TCXReader()
    case .hrvlogger: HRVLoggerReader()
    case .rr: IntervalTextReader()
    case .wfdb: WFDBReader()
    case .apple: AppleCopyReader()
    }
  }

  /// The format of a file that begins like this; nil where none is known. 4,096 bytes are enough.
  package init?(beginning: [UInt8]) {
    let readers: [any RecordingReader.Type] = [
      FITReader.self, TCXReader.self, HRVLoggerReader.self, IntervalTextReader.self, WFDBReader.self,
      AppleCopyReader.self,
    ]
    guard let reader = readers.first(where: { $0.recognizes(beginning) }) else { return nil }
    self = reader.format
  }

  /// Whether a file that begins like this is text in UTF-16, which no reader here takes.
  package static func isUTF16(_ beginning: [UInt8]) -> Bool {
    [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0x00, 0x3F, 0x00], [0x00, 0x3C, 0x00, 0x3F]].contains {
      beginning.starts(with: $0)
    }
  }

  /// How exactly it has intervals and times of beats, for people.
  package var resolution: (interval: String, time: String) {
    switch self {
    case .fit: ("1 ms", "1 s")
    case .tcx: ("none", "none")
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
