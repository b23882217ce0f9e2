/// The greatest sizes of another program's data, so that no program fills the journal, the store or the memory of the recorder.
package struct ClientDataLimits: Hashable, Sendable {
  /// Values or heartbeats in one insertion.
  package var valuesInCall = 4_096
  /// Values or heartbeats of a series: three a second for a day.
  package var valuesOfSeries = 1 << 18
  /// The longest time for which a series may be open, in microseconds. Until its end, the journal holds all of the series.
  package var microsecondsOfSeries: Int64 = 86_400_000_000
  /// The longest time for which a live workout may go on, in microseconds; the journal holds all of the workout. A race of a day
  /// and a night fits.
  package var microsecondsOfWorkout: Int64 = 172_800_000_000
  /// Samples that are collected with a live workout.
  package var samplesOfWorkout = 1 << 16
  /// Keys of the metadata of a session or a series.
  package var keys = 64
  /// Bytes of a key, of a text, and of all metadata together; a value that is no text counts as eight.
  package var keyBytes = 256
  package var textBytes = 4_096
  package var metadataBytes = 1 << 16
  /// Markers of a session, and the bytes of one.
  package var markers = 1_000
  package var markerBytes = 1_024

  package init() {}

  /// Checks whether a session or a series may have this metadata, all in all.
  ///
  /// - Throws: ``ClientDataProblem``.
  package func check(_ metadata: Metadata) throws(ClientDataProblem) {
    guard metadata.count <= keys else { throw .tooLarge(.keys) }
    var bytes = 0
    for (key, value) in metadata {
      guard !key.isEmpty else { throw .invalidMetadata }
      guard !ReservedMetadata.all.contains(key) else { throw .reservedKey }
      guard key.utf8.count <= keyBytes else { throw .tooLarge(.key) }
      bytes += key.utf8.count
      switch value {
      case .text(let text):
        guard text.utf8.count <= textBytes else { throw .tooLarge(.text) }
        bytes += text.utf8.count
      case .real(let number):
        guard number.isFinite else { throw .invalidMetadata }
        bytes += 8
      case .integer, .flag: bytes += 8
      case .time(let time):
        guard Timestamp.calendarRange.contains(time) else { throw .invalidMetadata }
        bytes += 8
      case .quantity(let quantity):
        guard quantity.value.isFinite else { throw .invalidMetadata }
        bytes += 8 + quantity.unit.symbol.utf8.count
      }
    }
    guard bytes <= metadataBytes else { throw .tooLarge(.metadata) }
  }

  /// Checks whether a device's properties are short enough.
  ///
  /// - Throws: ``ClientDataProblem/tooLarge(_:)``.
  package func check(_ device: Device) throws(ClientDataProblem) {
    for text in device.texts.compactMap({ $0 }) where text.utf8.count > keyBytes { throw .tooLarge(.device) }
  }
}

/// An error in the data of another program, without any text of that program.
package enum ClientDataProblem: Error, Hashable, Sendable {
  /// More than ``ClientDataLimits`` allows.
  case tooLarge(Part)
  /// The key is one of ``ReservedMetadata``.
  case reservedKey
  /// A key is empty, or a value cannot be stored.
  case invalidMetadata

  /// A part that is too large. The raw value is a sentence about it.
  package enum Part: String, Hashable, Sendable {
    case values = "too many values in one call"
    case series = "the series has too many values"
    case samples = "the workout has too many samples"
    case keys = "too many keys of metadata"
    case key = "a key of the metadata is too long"
    case text = "a text in the metadata is too long"
    case metadata = "too much metadata"
    case device = "a property of the device is too long"
    case markers = "the session has too many markers"
    case marker = "the text of the marker is too long"
  }
}

/// Keys of metadata for the origin of a session or a series; no program but the recorder may set them.
package enum ReservedMetadata {
  /// The key for the session that a session continues.
  package static let linkedTo = "linkedTo"
  /// The key for the program that recorded a session.
  package static let recordedBy = "recordedBy"
  /// The key for the program that requested a session.
  package static let requestedBy = "requestedBy"
  /// The key for a series that its program did not complete, and that ends with its last value.
  package static let interrupted = "interrupted"

  package static let all: Set<String> = [linkedTo, recordedBy, requestedBy, interrupted]
}

extension Device {
  /// The properties in the order of their declaration.
  package var texts: [String?] {
    [
      name, manufacturer, model, hardwareVersion, firmwareVersion, softwareVersion, localIdentifier,
      uniqueDeviceIdentifier,
    ]
  }

  /// A device whose properties are these, in the order of their declaration; nil where they are not eight.
  package init?(texts: [String?]) {
    guard texts.count == 8 else { return nil }
    self.init(
      name: texts[0], manufacturer: texts[1], model: texts[2], hardwareVersion: texts[3], firmwareVersion: texts[4],
      softwareVersion: texts[5], localIdentifier: texts[6], uniqueDeviceIdentifier: texts[7])
  }
}
