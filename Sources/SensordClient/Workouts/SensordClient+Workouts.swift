import ClientInterfaces
import DBus
public import FoundationEssentials
public import HealthModel

/// Whose heart a workout is about.
@nonexhaustive
public enum WorkoutSensor: Hashable, Sendable {
  /// The sensor that is measuring.
  case any
  /// The sensor with this address.
  case address(String)
  /// No sensor: the workout has what the program adds to it.
  case none
}

extension SensordClient {
  /// Starts a workout now: HealthKit's session and its live builder in one. The recorder collects heart rates, beats and energy of
  /// the sensor by itself, and stores the workout with its figures when it is over.
  ///
  /// It outlives this program and the recorder: the recorder keeps each call before it answers, and goes on after a restart. A
  /// program that was restarted finds it in ``workouts()``.
  ///
  /// - Parameters:
  ///   - configuration: What it is.
  ///   - sensor: Whose heart. What was being recorded of it before ends, and goes on after the workout; no value is lost or stored twice.
  ///   - metadata: What is stored with it; more can be added while it lasts.
  ///   - endsWithClient: Whether it ends when this program's connection does, without a heart rate recovery.
  /// - Returns: The workout, which is running.
  /// - Throws: ``ClientError/notAuthorized`` without permission to save workouts, ``ClientError/noSensor(_:)``,
  ///   ``ClientError/busy`` where the sensor has another workout or a session, ``ClientError/invalidArgument(_:)`` for a length of a
  ///   lap that cannot be one, and others.
  @concurrent public func startWorkout(
    _ configuration: WorkoutConfiguration, sensor: WorkoutSensor = .any, metadata: Metadata = [:],
    endsWithClient: Bool = true
  ) async throws(ClientError) -> LiveWorkout {
    let whose: WorkoutOptions.Sensor =
      switch sensor {
      case .any: .any
      case .address(let address): .one(address)
      case .none: .none
      }
    let options = WorkoutOptions(configuration, sensor: whose, metadata: metadata, endsWithClient: endsWithClient)
    let answer = try await link.call(ClientInterfaces.workouts, "Begin", [options.value])
    guard let path = answer.first?.objectPath else { throw .unreadable }
    return try await LiveWorkout(at: path, of: self)
  }

  /// The workouts of this program that go on, also those that an earlier run of it started, in the order of their starts.
  @concurrent public func workouts() async throws(ClientError) -> [LiveWorkout] {
    var workouts: [LiveWorkout] = []
    for path in try await link.objects(below: ClientInterfaces.workoutObjects) {
      do throws(ClientError) {
        workouts.append(try await LiveWorkout(at: path, of: self))
      } catch {
        // It was stored meanwhile.
        guard error == .ended else { throw error }
      }
    }
    return workouts.sorted { ($0.start, $0.id.uuidString) < ($1.start, $1.id.uuidString) }
  }

  /// A workout of this program that goes on, by its identifier.
  ///
  /// - Throws: ``ClientError/ended`` where none does, and others.
  @concurrent public func workout(_ id: UUID) async throws(ClientError) -> LiveWorkout {
    try await LiveWorkout(at: .object(id, below: ClientInterfaces.workoutObjects), of: self)
  }
}
