internal import HealthInterchange
internal import HealthModel
internal import SeriesStore

/// The objects of one transaction. The more there are, the fewer pages are written twice: the identifiers of objects are random,
/// so that a thousand of them change most pages of an index, as eight thousand do.
struct ImportBatch: Sendable {
  private(set) var items: [ImportedItem] = []
  /// The names of their types.
  private(set) var types: [String] = []
  /// The identities of the objects.
  private(set) var marks: [Mark] = []
  private var size = 0

  /// The identity of an object: the beginning of its digest, its version, and whether that counts only a continued series.
  struct Mark {
    var key: UInt64
    var version: Int64
    var isContinued: Bool
  }

  /// About a thousand days of values. Another batch is being stored meanwhile.
  private static let mostBytes = 2 << 20

  var isFull: Bool { size >= Self.mostBytes }

  /// Packs an object.
  mutating func add(_ object: AppleObject) throws(AppleRefusal) {
    var item = try ImportedItem(object)
    item.pack()
    items.append(item)
    types.append(object.type.identifier)
    var isContinued = false
    if case .series(_, _, true) = object.content { isContinued = true }
    let key = object.digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    marks.append(Mark(key: key, version: object.version, isContinued: isContinued))
    size += object.size
  }
}

/// The versions that a dry run would have stored so far, which are not in the store.
struct ImportRehearsal {
  private var versions: [UInt64: Int64] = [:]

  /// More objects than nearly all exports have; of what comes behind them no repetition is noticed.
  private static let mostObjects = 1 << 19

  /// The version of each object of a batch that would be in the store before; nil without one.
  mutating func earlier(than batch: ImportBatch) -> [Int64?] {
    batch.marks.map { mark in
      let earlier = versions[mark.key]
      guard earlier != nil || versions.count < Self.mostObjects else { return nil }
      versions[mark.key] =
        mark.isContinued ? (earlier ?? 0).addingSaturated(mark.version) : max(earlier ?? 0, mark.version)
      return earlier
    }
  }
}

extension ImportOutcome {
  /// The outcome for an object of which another version comes in before.
  func following(_ earlier: Int64?, _ mark: ImportBatch.Mark, isSeries: Bool) -> ImportOutcome {
    guard let earlier, outcome == .stored || outcome == .replaced else { return self }
    if mark.isContinued { return ImportOutcome(outcome: .replaced, added: added) }
    guard mark.version > earlier else { return ImportOutcome(outcome: .unchanged, added: 0) }
    return ImportOutcome(outcome: .replaced, added: isSeries ? Int(clamping: mark.version - earlier) : 0)
  }
}

/// The reason for which the store refuses an object that was read.
struct AppleRefusal: Error {
  let reason: String
}

extension ImportedItem {
  /// An object of an export, packed.
  init(_ object: AppleObject) throws(AppleRefusal) {
    let identity = ImportIdentity(digest: object.digest)
    let sync = SyncIdentity(identifier: identity.syncIdentifier, version: object.version)
    switch object.content {
    case .series(let type, let values, let isContinued):
      self.init(
        identity, from: object.source,
        .series(
          ImportedSeries(
            type, device: object.device, metadata: object.metadata, values: values, isContinued: isContinued)))
    case .draft(let draft):
      do throws(SeriesError) {
        let sample = try NewSample(draft, id: identity.id(version: object.version), sync: sync)
        self.init(identity, from: object.source, .sample(sample))
      } catch {
        throw AppleRefusal(reason: "\(error)")
      }
    case .clinical(let record, let time):
      do throws(ClinicalRecordError) {
        let sample = try NewSample(record, at: time, id: identity.id(version: object.version), sync: sync)
        self.init(identity, from: object.source, .sample(sample))
      } catch {
        throw AppleRefusal(reason: "\(error)")
      }
    case .route(let workout, let comesWithWorkout, let locations):
      self.init(
        identity, from: object.source,
        .route(
          ImportedRoute(
            ImportIdentity(digest: workout), comesWithWorkout: comesWithWorkout, device: object.device,
            locations: locations)))
    case .workout(let workout):
      do throws(WorkoutError) {
        let named = Workout(
          id: identity.id(version: object.version), workout.configuration, over: workout.span, events: workout.events,
          activities: workout.activities, metadata: workout.metadata)
        self.init(identity, from: object.source, .sample(try NewSample(named, device: object.device, sync: sync)))
      } catch {
        throw AppleRefusal(reason: "\(error)")
      }
    }
  }

  var valueCount: Int {
    switch content {
    case .series(let series): series.values.count
    case .packed(_, let values): values
    case .sample, .route, .workout: 1
    }
  }
}
