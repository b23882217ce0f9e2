import Captures
import FoundationEssentials
import Timeline

/// Writes a journal as a recorder does, for the power-cut test: three sensors at once, sessions that end and are
/// committed, segments that roll over. The same arguments give the same calls.
///
/// `JournalWriter FOLDER EVENTS SYNC-EVERY` syncs after so many events, or on a syncing thread where that is 0.
@main
enum JournalWriter {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[2]), let interval = Int(arguments[3]) else {
      return print("usage: JournalWriter FOLDER EVENTS SYNC-EVERY")
    }
    let (journal, _) = try Journal.open(
      directory: arguments[1], configuration: JournalConfiguration(segmentBytes: 4096))
    let syncer = interval == 0 ? try JournalSyncer(journal, interval: .milliseconds(5)) { _ in } : nil
    var sensors = (0..<3).map { _ in UUID() }
    for number in 0..<count {
      let index = number % 3
      if number < 3 || number % 150 == index * 52 {
        try? finish(journal, sensors[index], number)
        sensors[index] = UUID()
        try? journal.open(header(sensors[index]), events: [event(.connected, number, 1)])
      }
      // The instant is the event's number, so that each is known again.
      let payload: [UInt8] = [0x10, 60, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
      try? journal.append(event(.measurement(payload), number, 0), to: sensors[index])
      if interval > 0, number % interval == interval - 1 { try? journal.sync() }
    }
    syncer?.stop()
  }

  private static func finish(_ journal: Journal, _ session: UUID, _ number: Int) throws {
    try journal.append(event(.ended(.request), number, 2), to: session)
    try journal.commit(session)
  }

  private static func header(_ session: UUID) -> CaptureHeader {
    CaptureHeader(session: session, sensor: SensorIdentity(address: nil, name: "strap"), source: "JournalWriter")
  }

  private static func event(_ kind: SensorEvent.Kind, _ number: Int, _ place: Int64) -> SensorEvent {
    SensorEvent(kind, at: BootInstant(microseconds: Int64(number) * 10 + place))
  }
}
