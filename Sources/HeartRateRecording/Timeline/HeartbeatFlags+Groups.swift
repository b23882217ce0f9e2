import HealthModel

extension Heartbeat.Flags {
  /// Each of these says that no interval may be formed from the beat before.
  static let gap: Heartbeat.Flags = [.firstOfRun, .missed]
  /// Whether something is doubtful about the beat or its interval; that it is the first of its run is not.
  var isDoubtful: Bool { !subtracting(.firstOfRun).isEmpty }
}
