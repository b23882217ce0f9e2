internal import Documents
internal import BlueZ
internal import Synchronization

/// Shows a scan while it goes on: in place on a terminal, else a line for each device once it is heard.
final class ScanDisplay: Sendable {
  private struct State {
    /// Lines that stand on the terminal.
    var height = 0
    /// The addresses of those that have a line already.
    var shown: Set<String> = []
  }

  private let all: Bool
  private let isQuiet: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - all: Whether every device is listed.
  ///   - isQuiet: Nothing is shown before the end, which is JSON then.
  init(all: Bool, isQuiet: Bool) {
    self.all = all
    self.isQuiet = isQuiet
  }

  /// Shows the list as it is now.
  func show(_ list: HeardDevices) throws {
    guard !isQuiet else { return }
    if StandardOutput.isTerminal { try redraw(list) } else { try showNew(list) }
  }

  /// The end: what is still to be said.
  func finish(_ list: HeardDevices) throws {
    guard isQuiet else { return try show(list) }
    try StandardOutput.write(JSONValue.lines(list.listed(all: all).map(HeardDevices.json)))
  }

  private func redraw(_ list: HeardDevices) throws {
    var lines = list.text(all: all, columns: StandardOutput.columns).split(separator: "\n")
    // Lines that have scrolled off the terminal cannot be redrawn.
    let room = max(3, StandardOutput.rows - 1)
    if lines.count > room { lines = Array(lines.prefix(room - 1)) + ["…"] }
    let height = state.withLock { state in
      defer { state.height = lines.count }
      return state.height
    }
    var text = height > 0 ? "\u{1B}[\(height)A" : ""
    for line in lines { text += "\u{1B}[K\(line)\n" }
    try StandardOutput.write(text + "\u{1B}[J")
  }

  private func showNew(_ list: HeardDevices) throws {
    for device in list.listed(all: all) {
      let isNew = state.withLock { $0.shown.insert(device.address.description).inserted }
      if isNew { try StandardOutput.write(HeardDevices.line(device)) }
    }
  }
}
