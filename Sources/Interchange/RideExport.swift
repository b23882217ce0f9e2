internal import Documents
internal import HealthInterchange
internal import Recordings
internal import StoreCommands

/// `--into RIDE.fit`: somebody's ride with the heart that was recorded meanwhile.
struct RideExport {
  private let ride: String
  private let output: String?
  private let places: ExportPlaces
  /// Whether what became of it is told as JSON.
  private let json: Bool

  /// No ride is longer: a day has some nine mebibytes.
  private static let longest = 16 << 20

  init(_ ride: String, _ output: String?, in places: ExportPlaces, json: Bool) {
    self.ride = ride
    self.output = output
    self.places = places
    self.json = json
  }

  func write(_ recording: InterchangeRecording) throws {
    if let output, FileAccess.isSame(ride, output) {
      throw CommandFailure(
        .cannotCreate, "\(output) is the ride itself, which cannot be made again", remedy: "name another file with -o")
    }
    let bytes = try FileAccess.read(ride, limit: Self.longest)
    let merged: RideMerge
    do throws(FileDamage) {
      merged = try RideMerge(of: recording, into: bytes)
    } catch {
      throw CommandFailure(.badData, "\(ride): \(error)")
    }
    guard merged.rates + merged.intervals > 0 else {
      throw CommandFailure(
        .badData,
        merged.hasRecords
          ? "\(ride): it has a heart rate already, or was ridden at another time" : "\(ride): there is no ride in it")
    }
    try Output.file(output, in: places) { (receive) throws(FileError) in try receive(merged.bytes) }
    guard !json else {
      var line: [UInt8] = []
      account(of: merged).appendLine(to: &line)
      return try Output.write(line)
    }
    Output.error(
      "sensord: \(ride): \(Count.of(merged.rates, "record")) got a heart rate, "
        + "\(Count.of(merged.intervals, "interval")) \(merged.intervals == 1 ? "was" : "were") added")
    let leftOut = merged.leftOut.map { "\($0.count) × \($0.reason)" }.joined(separator: ", ")
    if !leftOut.isEmpty { Output.error("sensord: \(ride): left out: \(leftOut)") }
  }

  private func account(of merged: RideMerge) -> JSONValue {
    [
      "file": .string(ride), "rates": .integer(merged.rates), "intervals": .integer(merged.intervals),
      "leftOut": .object(merged.leftOut.map { JSONValue.Member($0.reason, .integer($0.count)) }),
    ]
  }
}
