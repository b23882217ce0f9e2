import HealthModel

@testable import SeriesStore

extension FuzzTarget {
  /// The first byte says which layout; layout byte and checksum, which no fuzzer could guess, are put in front of the rest.
  static func readChunk(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let kind = bytes.first else { return }
    let layouts = [HeartbeatChunk.layout, QuantityChunk.layout, SummaryCells.layout, LocationChunk.layout]
    let layout = layouts[Int(kind) % layouts.count]
    let sealed = ChunkSeal.seal([0, 0, 0, 0, layout] + bytes.dropFirst())
    switch layout {
    case HeartbeatChunk.layout:
      guard let beats = try? HeartbeatChunk.decode(sealed), !beats.isEmpty else { return }
      let again = try? HeartbeatChunk.decode(HeartbeatChunk(beats[...]).encode())
      try BrokenPromise.unless(again == beats, "beats that were unpacked can be packed and unpacked again")
    case QuantityChunk.layout:
      guard let chunk = try? QuantityChunk(decoding: sealed) else { return }
      let again = try? QuantityChunk(decoding: chunk.encode())
      try BrokenPromise.unless(again == chunk, "quantities that were unpacked can be packed and unpacked again")
    case LocationChunk.layout:
      guard let locations = try? LocationChunk.decode(sealed) else { return }
      let again = try? LocationChunk.decode(LocationChunk(locations[...]).encode())
      try BrokenPromise.unless(again == locations, "locations that were unpacked can be packed and unpacked again")
    default:
      guard let cells = try? SummaryCells.decode(sealed) else { return }
      try BrokenPromise.unless(
        cells.allSatisfy { $0.count > 0 && $0.lastStart >= $0.firstStart }, "a cell holds something")
    }
  }
}
