internal import HealthModel

/// The times of a FIT file's messages: full ones, and those that are counted from the last full one.
struct FITClock {
  /// The last time, in FIT's seconds.
  private var time: UInt64?

  /// Smaller times are seconds since the device was switched on.
  private static let firstTime: UInt64 = 0x1000_0000

  /// The time of a message, if it has one.
  mutating func moment(
    of fields: FITFields, _ compressedTime: UInt8?, _ account: inout ReadingAccount
  ) -> Timestamp? {
    if let seconds = fields.number(253) {
      // The type of the field is the file's choice; 32 bits are what FIT's times have.
      guard seconds >= Self.firstTime, seconds <= 0xFFFF_FFFF else {
        account.leave(out: "time since a device was switched on")
        return nil
      }
      time = seconds
    } else if let compressedTime, let last = time {
      // Five bits; where they are fewer than before, they went over.
      var next = last & ~0x1F | UInt64(compressedTime)
      if next < last { next += 0x20 }
      time = next
    } else if fields.definition.message == FITProfile.Message.monitoring, let short = fields.number(26), let last = time
    {
      var next = last & ~0xFFFF | (short & 0xFFFF)
      if next < last { next += 0x1_0000 }
      time = next
    } else {
      return nil
    }
    return time.map { seconds in
      Timestamp(microseconds: (Int64(clamping: min(seconds, 0xFFFF_FFFF)) + FITProfile.epoch) * 1_000_000)
    }
  }
}
