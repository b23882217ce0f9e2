internal import Documents
internal import Glibc

/// One line on a terminal that says how far a long import is, and how long it may still take; nothing where nobody looks.
struct ImportProgress {
  private let file: String
  private let size: Int64?
  private let isShown: Bool
  private let start: Int64
  private var shown: Int64

  private static let pauseMilliseconds: Int64 = 200

  init(_ file: String, size: Int64?) {
    (self.file, self.size) = (file, size)
    isShown = isatty(STDERR_FILENO) == 1
    start = Self.milliseconds
    shown = start
  }

  mutating func show(_ place: Int64, records: Int) {
    guard isShown, Self.milliseconds - shown >= Self.pauseMilliseconds else { return }
    shown = Self.milliseconds
    Output.line("\r\u{1B}[K\(PrintableText.line(text(place, records: records, after: shown - start), columns: 79))")
  }

  func clear() {
    if isShown, shown > start { Output.line("\r\u{1B}[K") }
  }

  /// The line after so many milliseconds.
  func text(_ place: Int64, records: Int, after milliseconds: Int64) -> String {
    guard let size, size > 0, place > 0, place <= size else { return "\(file): \(Count.of(records, "record"))" }
    let share = Double(place) / Double(size)
    let left = Double(milliseconds) / share * (1 - share) / 1000
    // Nobody can say it at the beginning.
    let estimate = milliseconds > 2000 ? ", about \(Self.time(left)) left" : ""
    return "\(file): \(Int(share * 100)) %, \(Count.of(records, "record"))\(estimate)"
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 90 ? "\(Int(seconds) + 1) s" : "\(Int(seconds / 60) + 1) min"
  }

  private static var milliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
