/// What a capture file held: the sessions, and the places that could not be read.
public struct CaptureContents: Hashable, Sendable {
  public var format: CaptureFormat
  /// One for each session (text) or sensor (foreign formats), in the order of their first records.
  public var captures: [Capture]
  /// The first hundred places that could not be read, in order.
  public var damages: [CaptureDamage]
  /// How many such places there were.
  public var damageCount: Int
  /// The first hundred records whose kinds only a later version knows, in order.
  public var unknownRecords: [UnknownRecord]
  /// How many such records there were.
  public var unknownRecordCount: Int

  public init(
    format: CaptureFormat, captures: [Capture], damages: [CaptureDamage], damageCount: Int,
    unknownRecords: [UnknownRecord] = [], unknownRecordCount: Int = 0
  ) {
    self.format = format
    self.captures = captures
    self.damages = damages
    self.damageCount = damageCount
    self.unknownRecords = unknownRecords
    self.unknownRecordCount = unknownRecordCount
  }
}

/// A file format that captures are read from.
public enum CaptureFormat: String, Hashable, Sendable, CaseIterable {
  /// The project's own text format (Documentation/capture-format.md), journal segments included.
  case sensord
  /// btsnoop with data link 1001 (HCI), 1002 (H4) or 2001 (Linux monitor).
  case btsnoop
  /// pcapng with link type 187, 201 or 254.
  case pcapng
}
