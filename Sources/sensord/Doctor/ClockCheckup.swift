internal import DBus
internal import Ingestion
internal import Recordings
internal import SeriesStore

/// Whether the clock can be believed, and what was recorded while it could not. No reason why nothing is recorded, so never a failure.
enum ClockCheckup {
  static func finding(bus: BusAddress, _ location: StoreLocation, on loop: EventLoop) async -> Finding {
    var belief = ClockBelief.notKnown
    if let connection = try? await Connection.open(bus, on: loop, timeout: .seconds(5)) {
      belief = await ClockService.belief(on: connection)
      await connection.close()
    }
    var doubtful = 0
    if FileAccess.exists(location.path),
      let store = try? HealthStore.open(location.path, for: .reading, limit: .inAll)
    {
      doubtful = (try? await store.doubtfulCount()) ?? 0
      await store.close()
    }
    return finding(belief, doubtful: doubtful)
  }

  static func finding(_ belief: ClockBelief, doubtful: Int) -> Finding {
    let text =
      switch belief {
      case .synchronised, .byHand: "synchronised"
      case .notSynchronised: "not synchronised: 'timedatectl' says more"
      case .notKnown: "nobody says whether it is synchronised (no org.freedesktop.timedate1, as in a container)"
      }
    let words = [text, StatusReport.doubtful(doubtful)].compactMap { $0 }.joined(separator: "; ")
    let isWell = belief == .synchronised && doubtful == 0
    return Finding(title: "clock", result: isWell ? .passed(words) : .skipped(words))
  }
}
