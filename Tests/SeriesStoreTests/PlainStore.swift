import FoundationEssentials
import HealthModel

@testable import SeriesStore

/// What a store has to hold, as an array: samples of every kind, what belongs together, and the list of changes.
struct PlainStore {
  /// A sample as it has to be returned, with its values.
  struct Object {
    var sample: HealthSample
    var rows: [PlainRows.Row] = []
    var beats: HeartbeatSeries?
    var workout: Workout?
    /// What is saved with it.
    var parts: [Object] = []

    var id: UUID { sample.id }
  }

  struct Change {
    var id: UUID
    var type: SampleType
    var source: String
    var isDeletion: Bool
  }

  /// In the order of saving.
  private(set) var objects: [Object] = []
  /// The number of a change is its place, from 1.
  private(set) var changes: [Change] = []
  /// The parts of each object in order.
  private(set) var parts: [UUID: [UUID]] = [:]

  /// Why something is refused; then nothing is changed.
  enum Refusal: Error { case missing, present, foreign, part }

  func object(_ id: UUID) -> Object? { objects.first { $0.id == id } }

  /// What the object is a part of.
  func owner(of id: UUID) -> UUID? { parts.first { $0.value.contains(id) }?.key }

  /// Saves all or nothing.
  mutating func save(_ news: [Object]) throws(Refusal) -> [CommitOutcome] {
    var copy = self
    var outcomes: [CommitOutcome] = []
    for object in news { outcomes.append(try copy.save(object).outcome) }
    self = copy
    return outcomes
  }

  private mutating func save(_ new: Object) throws(Refusal) -> (outcome: CommitOutcome, id: UUID) {
    let earlier = sameObject(as: new)
    if let earlier, new.sample.syncVersion ?? 0 <= earlier.sample.syncVersion ?? 0 { return (.unchanged, earlier.id) }
    let place = earlier.flatMap { earlier in
      owner(of: earlier.id).map { owner in (owner: owner, index: parts[owner]?.firstIndex(of: earlier.id) ?? 0) }
    }
    guard place == nil || new.parts.isEmpty else { throw .part }
    if let earlier { remove(earlier.id) }
    guard object(new.id) == nil else { throw .present }
    let identifiers = ([new] + new.parts).compactMap(\.sample.syncIdentifier)
    guard new.parts.isEmpty || Set(identifiers).count == identifiers.count else { throw .part }
    var members: [UUID] = []
    for part in new.parts {
      let member = try save(part).id
      guard owner(of: member) == nil, parts[member] == nil else { throw .part }
      members.append(member)
    }
    note(new, isDeletion: false)
    var object = new
    object.sample.change = Int64(changes.count)
    objects.append(object)
    if !members.isEmpty { parts[new.id] = members }
    if let place { parts[place.owner]?.insert(new.id, at: place.index) }
    return (earlier == nil ? .stored : .replaced, new.id)
  }

  /// What the same program saved under the same sync identifier.
  private func sameObject(as new: Object) -> Object? {
    guard let identifier = new.sample.syncIdentifier else { return nil }
    return objects.first {
      $0.sample.syncIdentifier == identifier && $0.sample.source.identifier == new.sample.source.identifier
    }
  }

  /// Deletes all or nothing.
  mutating func delete(_ ids: [UUID], as source: String) throws(Refusal) {
    var copy = self
    for id in ids {
      guard let object = copy.object(id) else { throw .missing }
      guard object.sample.source.identifier == source else { throw .foreign }
      guard copy.owner(of: id) == nil else { throw .part }
      copy.remove(id)
    }
    self = copy
  }

  private mutating func remove(_ id: UUID) {
    for part in parts[id] ?? [] { remove(part) }
    parts[id] = nil
    if let owner = owner(of: id) { parts[owner]?.removeAll { $0 == id } }
    guard let index = objects.firstIndex(where: { $0.id == id }) else { return }
    note(objects[index], isDeletion: true)
    objects.remove(at: index)
  }

  private mutating func note(_ object: Object, isDeletion: Bool) {
    changes.append(
      Change(
        id: object.id, type: object.sample.type, source: object.sample.source.identifier, isDeletion: isDeletion))
  }
}
