@testable import HealthInterchange

/// A reader of bytes that come from outside: any bytes go in, and it must either read them or say what is wrong.
///
/// The fuzzer feeds it with what it makes up, the tests with the corpus.
enum FuzzTarget: String, CaseIterable {
  /// A value of the Heart Rate Measurement characteristic.
  case payload
  case btsnoop
  case pcapng
  /// A folder of journal segments, and a recorder's start on it.
  case journal
  /// A session's way from its events into the store's form: instants and payloads may be anything.
  case session
  /// The store's packed chunks and summary cells.
  case chunk
  /// A message of the bus, and what it does to the copy of bluetoothd's objects.
  case dbus
  /// A call of another program, and its arguments.
  case call
  case configuration
  /// A compiled time zone.
  case tzif
  /// A FIT file of another program.
  case fit
  /// Messages of a FIT file into which a heart is merged.
  case ride
  /// A TCX file.
  case tcx
  /// Apple's export, and one that was written here.
  case apple
  /// GPX: a workout's route in it, and a ride.
  case route
  /// A ZIP file, with the export in it, or what gzip packed.
  case archive
  /// Intervals as text, or HRV Logger's CSV.
  case intervals
  /// A header of WFDB, a zero byte, and annotations.
  case wfdb

  /// Reads `bytes`.
  ///
  /// - Throws: ``BrokenPromise`` where they were read, but not as they should be. A trap is what the fuzzer looks for.
  func read(_ bytes: [UInt8]) throws(BrokenPromise) {
    switch self {
    case .payload: try Self.readPayload(bytes)
    case .btsnoop: try Self.readCapture(Self.btsnoopMagic + bytes)
    case .pcapng: try Self.readCapture(Self.pcapngMagic + bytes)
    case .journal: try Self.readJournal(bytes)
    case .session: try Self.readSession(bytes)
    case .chunk: try Self.readChunk(bytes)
    case .dbus: try Self.readMessage(bytes)
    case .call: try Self.readCall(bytes)
    case .configuration: try Self.readConfiguration(bytes)
    case .tzif: try Self.readTimeZone(bytes)
    case .fit: try Self.readRecording(bytes, .fit)
    case .ride: try Self.readRide(bytes)
    case .tcx: try Self.readRecording(bytes, .tcx)
    case .apple:
      try Self.readExport(bytes)
      try Self.readRecording(bytes, .apple)
    case .route:
      try Self.readRoute(bytes)
      try Self.readRecording(bytes, .gpx)
    case .archive: try Self.readArchive(bytes)
    case .intervals: try Self.readRecording(bytes, HRVLoggerReader.recognizes(bytes) ? .hrvlogger : .rr)
    case .wfdb: try Self.readRecording(bytes, .wfdb)
    }
  }
}

/// What a reader promised and did not keep.
struct BrokenPromise: Error, CustomStringConvertible {
  let description: String

  /// Throws unless `isKept`.
  static func unless(_ isKept: Bool, _ promise: String) throws(BrokenPromise) {
    guard isKept else { throw BrokenPromise(description: "this is not so: \(promise)") }
  }
}
