import GATTHeartRate

extension FuzzTarget {
  static func readPayload(_ bytes: [UInt8]) throws(BrokenPromise) {
    let value: HeartRateMeasurement
    do {
      value = try HeartRateMeasurement(decoding: bytes)
    } catch {
      switch error {
      case .truncated(_, let needed, let available):
        try BrokenPromise.unless(available == bytes.count && needed > available, "the error counts the bytes")
      }
      return
    }
    try BrokenPromise.unless(value.encoded() == bytes, "what was decoded encodes to the same bytes")
  }
}
