extension HeartRateMeasurement {
  /// The bytes of this value as a sensor sends them: the exact opposite of decoding.
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(5 + 2 * rrTicks.count + trailing.count)
    bytes.append(flags.rawValue)
    bytes.append(UInt8(truncatingIfNeeded: beatsPerMinute))
    if flags.contains(.heartRateIsUInt16) { bytes.append(UInt8(beatsPerMinute >> 8)) }
    if let energyKilojoules {
      bytes.append(UInt8(truncatingIfNeeded: energyKilojoules))
      bytes.append(UInt8(energyKilojoules >> 8))
    }
    for ticks in rrTicks {
      bytes.append(UInt8(truncatingIfNeeded: ticks))
      bytes.append(UInt8(ticks >> 8))
    }
    bytes.append(contentsOf: trailing)
    return bytes
  }

  /// How many RR intervals fit beside this value's other fields into one notification at the given ATT MTU.
  ///
  /// A notification spends three bytes of the MTU on its opcode and handle: 9 intervals at the smallest MTU of 23, one
  /// less with energy or a two-byte rate. (Heart Rate Service 1.0, section 3.1.1.4.)
  public func rrCapacity(attMTU: Int) -> Int {
    let fixed = (flags.contains(.heartRateIsUInt16) ? 3 : 2) + (energyKilojoules == nil ? 0 : 2)
    return max(0, (attMTU - 3 - fixed) / 2)
  }
}
