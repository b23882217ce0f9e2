internal import LiveForms
internal import LivePulse

/// Keeps what Prometheus reads.
final class MetricsOutput: Output {
  private var metrics = Metrics()

  func show(_ shown: Shown) {
    metrics.show(shown.pulse)
  }

  var text: String { metrics.text }
}
