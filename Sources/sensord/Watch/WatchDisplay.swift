internal import Recordings

/// Where `sensord watch` shows itself: a screen that is redrawn in place on a terminal, lines elsewhere.
struct WatchDisplay {
  private var lines: WatchLines?
  private let isColoured: Bool
  private let isUTF8: Bool
  private var isShown = false

  /// - Parameters:
  ///   - json: Lines of JSON, also on a terminal.
  ///   - environment: Says what the terminal can do.
  init(json: Bool, environment: ProcessEnvironment = .current) {
    // A terminal that cannot move its cursor gets lines.
    let isScreen = StandardOutput.isTerminal && !json && environment["TERM"] != "dumb"
    lines = isScreen ? nil : WatchLines(json ? .json : .text)
    isColoured = environment["NO_COLOR"] == nil
    isUTF8 = environment.isUTF8
  }

  /// Whether it is redrawn as time goes by.
  var isScreen: Bool { lines == nil }

  /// Shows what is new; `measured` is the sensor whose value has just come.
  mutating func show(_ screen: WatchScreen, measured: String? = nil, at now: Int64 = LocalTime.now()) throws {
    if let text = lines?.lines(screen, measured: measured, at: now).joined() {
      if !text.isEmpty { try StandardOutput.write(text) }
      return
    }
    let style = WatchScreen.Style(
      columns: StandardOutput.columns, rows: StandardOutput.rows, isUTF8: isUTF8, isColoured: isColoured)
    // The other screen, which has no lines of before: what is drawn there does not depend on how wide it was.
    let begin = isShown ? "" : "\u{1B}[?1049h\u{1B}[?25l"
    isShown = true
    let text = screen.frame(at: now, style).map { $0 + "\u{1B}[K" }.joined(separator: "\n")
    try StandardOutput.write("\(begin)\u{1B}[H\(text)\u{1B}[J")
  }

  /// Gives the terminal back as it was.
  mutating func end() {
    guard isShown else { return }
    isShown = false
    try? StandardOutput.write("\u{1B}[?25h\u{1B}[?1049l")
  }
}
