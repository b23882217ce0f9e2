import Timeline

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
  /// Another program begins a series of quantities, or of heartbeats, which the script calls by a number.
  case beginSeries(Int64)
  case beginHeartbeatSeries(Int64)
  /// It inserts values, each so many seconds after the series' start; or beats, each so many milliseconds after it.
  case insert(Int64, [Int64])
  case add(Int64, [Int64])
  case finishSeries(Int64)
  /// A program begins a workout with a sensor, which the script calls by a number.
  case beginWorkout(Int64, SensorAddress)
  /// It asks something of it: `pause`, `resume`, or with a number `event` or `activity`.
  case callWorkout(Int64, String, Int64)
  /// It ends it (0: all of them), without waiting for the recovery; or only begins to, and the recovery goes on.
  case endWorkout(Int64)
  case stopWorkout(Int64)
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
    case ("series", _, let number?): self = .beginSeries(number)
    case ("heartbeats", _, let number?): self = .beginHeartbeatSeries(number)
    case ("insert", _, let number?): self = .insert(number, words.dropFirst(2).compactMap { Int64($0) })
    case ("add", _, let number?): self = .add(number, words.dropFirst(2).compactMap { Int64($0) })
    case ("finish", _, let number?): self = .finishSeries(number)
    case ("workout", _, let number?):
      guard words.count > 2, let address = SensorAddress(String(words[2])) else { return nil }
      self = .beginWorkout(number, address)
    case ("call", _, let number?):
      guard words.count > 2 else { return nil }
      self = .callWorkout(number, String(words[2]), words.count > 3 ? Int64(words[3]) ?? 0 : 0)
    case ("end", _, let number?): self = .endWorkout(number)
    case ("recover", _, let number?): self = .stopWorkout(number)
    case ("settle", _, _): self = .settle
    case ("die", _, _): self = .die
    case ("stop", _, _): self = .stop
    default: return nil
    }
  }
}
