import Captures
import FoundationEssentials
import HealthModel
import RecordingSamples
import Reports
import SeriesStore
import TestSupport
import Timeline

/// What recorders leave: a store, a journal and kept captures, in a folder of one test.
struct RecordedFiles {
  let folder = TemporaryFolder()
  let location: StoreLocation
  let store: HealthStore

  /// An empty store without a journal.
  init() throws {
    location = StoreLocation(path: folder.store)
    store = try HealthStore.open(location.path, for: .writing)
  }

  func catalogue() throws -> SessionCatalogue {
    try SessionCatalogue(location, isNamed: true, version: "0.1.0")
  }

  /// The journal's events of a session of some seconds that began at `start`, in microseconds since 1970 (UTC).
  static func events(seconds: Int = 3, start: Int64) -> [SensorEvent] {
    let boot = BootInstant(microseconds: 1_000_000)
    let beginning: [SensorEvent.Kind] = [
      .boot(BootIdentifier(high: 1, low: 2)), .clock(wallMinusBootMicroseconds: start - boot.microseconds), .connected,
    ]
    return beginning.map { SensorEvent($0, at: boot) }
      + (0..<seconds).map {
        SensorEvent(.measurement([0x10, 0x3C, 0x00, 0x04]), at: boot.advanced(by: .seconds($0)))
      }
  }

  static func header(_ session: UUID) -> CaptureHeader {
    CaptureHeader(
      session: session, sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: "Strap"),
      source: "sensord 0.1.0")
  }

  /// Lays a journal of these sessions in its place, as a recorder leaves it that was killed: nobody has its lock.
  func leaveJournal(of sessions: [UUID], start: Int64 = SampleStatus.now) throws {
    do {
      let (journal, _) = try Journal.open(directory: folder.path + "/made.journal")
      for session in sessions { try journal.open(Self.header(session), events: Self.events(start: start)) }
      try journal.sync()
    }
    for name in TemporaryFolder.names(folder.path + "/made.journal") where name.hasSuffix(".journal") {
      try folder.write("store.journal/\(name)", folder.bytes(of: "made.journal/\(name)"))
    }
  }

  /// A recorder's journal with one session; it has the lock until it goes.
  func openJournal(of session: UUID) throws -> Journal {
    let (journal, _) = try Journal.open(directory: location.journal)
    try journal.open(Self.header(session), events: Self.events(start: SampleStatus.now))
    return journal
  }

  var journalled: [UUID] {
    get throws { try JournalReader.read(directory: location.journal).sessions.map(\.capture.session) }
  }

  var archive: CaptureArchive {
    CaptureArchive(directory: location.captures, maximumAgeSeconds: nil, maximumBytes: nil)
  }
}
