package import FoundationEssentials
package import HealthModel

extension ClientRegistry {
  /// Samples of these types that its program saves belong to a workout from now on, or no more.
  ///
  /// - Throws: ``Refusal/limitsExceeded(_:)``; ``Refusal/unknownType``; ``Refusal/invalidArgument`` for heart rates, which are
  ///   the sensor's and always collected, for workouts, which are collected by none, and for routes, which name a workout that is over.
  package mutating func collect(on: [String], off: [String], in workout: UUID) throws(Refusal) {
    guard on.count + off.count <= limits.types else { throw .limitsExceeded(.types) }
    guard (on + off).allSatisfy(isKnown) else { throw .unknownType }
    let others = [SampleType.workout.identifier, SampleType.workoutRoute.identifier]
    guard !off.contains(QuantityType.heartRate.identifier), !on.contains(where: others.contains) else {
      throw .invalidArgument
    }
    objects[workout]?.collects.subtract(off)
    objects[workout]?.collects.formUnion(on)
  }

  /// The workouts of a client that collect samples of a type as soon as they are saved.
  package func workouts(of client: ClientIdentity, collecting type: String) -> [UUID] {
    objects.values.filter { $0.owner == client && $0.collects.contains(type) }.map(\.identifier)
  }

  /// Whether a connection may read samples of a type.
  package func mayRead(_ name: String, _ type: String) -> Bool {
    clients[name].map { may($0, .read, type) } ?? false
  }

  /// A connection asks for the end of a workout.
  package mutating func asksForEnd(_ name: String, of workout: UUID) {
    objects[workout]?.enders.insert(name)
  }

  /// A workout is stored: its object goes, and its program is told on every connection, and who has asked for its end.
  package mutating func stored(_ workout: UUID, of owner: ClientIdentity) -> [Effect] {
    over(workout, of: owner).map { .stored(to: $0, workout) }
  }

  /// A workout is discarded: its object goes, and the same are told.
  package mutating func discarded(_ workout: UUID, of owner: ClientIdentity) -> [Effect] {
    over(workout, of: owner).map { .discarded(to: $0, workout) }
  }

  /// Forgets a workout; returns who is told.
  private mutating func over(_ workout: UUID, of owner: ClientIdentity) -> [String] {
    let enders = objects.removeValue(forKey: workout)?.enders ?? []
    return names.filter { clients[$0]?.identity == owner || enders.contains($0) }
  }
}
