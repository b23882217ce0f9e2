import Captures
import HealthModel
import Sensors

/// Who asked for the open session, and what was said of it.
struct OpenRequest: Hashable, Sendable {
  let request: SessionRequest
  var metadata: [String: CaptureMetadataValue]
  /// How many markers it has.
  var markers = 0
}

extension OpenRequest {
  /// That of a session which the journal holds; nil where nobody asked for it.
  init?(_ capture: Capture) {
    guard let request = capture.header.request else { return nil }
    self.init(
      request: request, metadata: capture.header.metadata.filter { !ReservedMetadata.all.contains($0.key) },
      markers: capture.log.count { if case .marker = $0.kind { true } else { false } })
  }
}
