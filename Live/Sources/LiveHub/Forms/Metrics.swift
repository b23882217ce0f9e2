/// The metrics that Prometheus reads: the rate while there is one, and counts since the hub's start.
struct Metrics: Sendable {
  /// Upper limits of the histogram's buckets in milliseconds; a further bucket has no limit.
  static let limits = [300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1500, 2000]

  private var buckets = [UInt64](repeating: 0, count: limits.count)
  private var count: UInt64 = 0
  /// The sum of all intervals in 1/1024 s.
  private var ticks: UInt64 = 0
  private var pulse = Pulse.none(.noRecorder)

  /// Counts a new pulse.
  mutating func show(_ pulse: Pulse) {
    self.pulse = pulse
    guard case .value(let reading) = pulse else { return }
    for interval in reading.rrTicks {
      count += 1
      ticks += UInt64(interval)
      // A bucket holds everything up to its limit.
      for (index, limit) in Self.limits.enumerated() where Int(interval) * 1000 <= limit * 1024 { buckets[index] += 1 }
    }
  }

  /// The page, in Prometheus' text format 0.0.4.
  var text: String {
    var text = ""
    func family(_ name: String, _ type: String, _ help: String) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }
    family("sensord_connected", "gauge", "Whether a sensor sends heart rates that hold.")
    text += "sensord_connected \(isConnected ? 1 : 0)\n"
    family("sensord_beats_total", "counter", "Intervals between beats since the start of the hub.")
    text += "sensord_beats_total \(count)\n"
    guard case .value(let reading) = pulse else { return text }
    family("sensord_heart_rate_bpm", "gauge", "The heart rate; not there without a value that holds.")
    text += "sensord_heart_rate_bpm \(reading.beatsPerMinute)\n"
    family("sensord_rr_interval_seconds", "histogram", "Intervals between beats since the start of the hub.")
    for (limit, bucket) in zip(Self.limits, buckets) {
      text += "sensord_rr_interval_seconds_bucket{le=\"\(Double(limit) / 1000)\"} \(bucket)\n"
    }
    text += "sensord_rr_interval_seconds_bucket{le=\"+Inf\"} \(count)\n"
    text += "sensord_rr_interval_seconds_sum \(Double(ticks) / 1024)\n"
    text += "sensord_rr_interval_seconds_count \(count)\n"
    return text
  }

  private var isConnected: Bool {
    if case .value = pulse { true } else { false }
  }
}
