/// The content of a capture file: its sessions, and the places that could not be read.
public struct CaptureContents: Hashable, Sendable {
  public var format: CaptureFormat
  /// One for each session (text) or sensor (foreign formats), in the order of their first records.
  public var captures: [Capture]
  /// The first hundred places that could not be read, in order.
  public var damages: [CaptureDamage]
  /// The number of such places.
  public var damageCount: Int
  /// The first hundred records whose kinds only a later version knows, in order.
  public var unknownRecords: [UnknownRecord]
  /// The number of such records.
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

/// A supported format of capture files.
public enum CaptureFormat: String, Hashable, Sendable, CaseIterable {
  /// The project's own text format (Documentation/capture-format.md), journal segments included.
  case sensord
  /// btsnoop with data link 1001 (HCI), 1002 (H4) or 2001 (Linux monitor).
  case btsnoop
  /// pcapng with link type 187, 201 or 254.
  case pcapng
}
