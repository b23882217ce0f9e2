import Sensors

/// One thing that happens to a recorder, as a line of a script.
enum Step {
  /// The virtual boot clock goes on by so many microseconds.
  case pass(Int64)
  case measurement(SensorAddress, [UInt8])
  case connected(SensorAddress)
  case disconnected(SensorAddress)
  /// The wall clock is set forward or back by so many microseconds.
  case setClock(Int64)
  case sync
  /// The file that stands for a full disk appears or goes.
  case fill(Bool)
  /// Waits until no commit is under way.
  case settle
  /// SIGKILL, at once.
  case die
  /// The end as on SIGTERM.
  case stop

  init?(_ line: Substring) {
    let words = line.split(separator: " ")
    let address = words.count > 1 ? SensorAddress(String(words[1])) : nil
    let number = words.count > 1 ? Int64(words[1]) : nil
    switch (words.first, address, number) {
    case ("pass", _, let number?): self = .pass(number)
    case ("clock", _, let number?): self = .setClock(number)
    case ("fill", _, let number?): self = .fill(number != 0)
    case ("value", let address?, _):
      self = .measurement(address, words.dropFirst(2).compactMap { UInt8($0, radix: 16) })
    case ("connected", let address?, _): self = .connected(address)
    case ("disconnected", let address?, _): self = .disconnected(address)
    case ("sync", _, _): self = .sync
    case ("settle", _, _): self = .settle
    case ("die", _, _): self = .die
    case ("stop", _, _): self = .stop
    default: return nil
    }
  }
}
