internal import HealthModel

/// The numbers of WFDB's annotation files that are written or understood here.
enum WFDBCodes {
  static let normal: UInt8 = 1
  static let unclassified: UInt8 = 13
  static let note: UInt8 = 22
  static let firstWord: UInt8 = 59
  static let skip: UInt8 = 59
  static let number: UInt8 = 60
  static let subtype: UInt8 = 61
  static let channel: UInt8 = 62
  static let auxiliary: UInt8 = 63

  /// The note at time 0 that says how many ticks a second has.
  static let resolution = "## time resolution: "
  /// How the note at a gap begins.
  static let gap = "gap"
  /// The line of a header by which its time is UTC; WFDB's own has no zone.
  static let zone = "time zone: UTC"

  /// Beats, each with what its code says besides: premature ones, of the atria or ventricles, are ectopic. An escape beat is none of these,
  /// and no code says that a beat is in doubt.
  static func flags(of code: UInt8) -> Heartbeat.Flags? {
    switch code {
    // N L R E j / Q B ? e n f
    case 1, 2, 3, 10, 11, 12, 13, 25, 30, 34, 35, 38: []
    // a V F J A S r
    case 4, 5, 6, 7, 8, 9, 41: .ectopic
    default: nil
    }
  }

  /// What stands between two beats so that nobody knows how far apart they are: ventricular flutter and fibrillation (`!`, `[`).
  static func isBreak(_ code: UInt8) -> Bool { code == 31 || code == 32 }

  /// WFDB's letters of what is no beat.
  static func name(of code: UInt8) -> String {
    let letters: [UInt8: String] = [
      14: "~", 16: "|", 18: "s", 19: "T", 20: "*", 21: "D", 22: "\"", 23: "=", 24: "p", 26: "^", 27: "t", 28: "+",
      29: "u", 31: "!", 32: "[", 33: "]", 36: "@", 37: "x", 39: "(", 40: ")",
    ]
    return letters[code] ?? "\(code)"
  }
}
