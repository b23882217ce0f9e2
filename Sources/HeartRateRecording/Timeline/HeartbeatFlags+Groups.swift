import HealthModel

extension Heartbeat.Flags {
  /// The flags of beats from which no interval to the previous beat may be formed.
  static let gap: Heartbeat.Flags = [.firstOfRun, .missed]
  /// Whether the beat or its interval is doubtful. Being the first of a run is not doubtful.
  var isDoubtful: Bool { !subtracting(.firstOfRun).isEmpty }
}
