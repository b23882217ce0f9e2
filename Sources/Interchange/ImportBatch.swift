internal import HealthInterchange
internal import HealthModel
internal import SeriesStore

/// What goes into the store in one transaction. The more it is, the fewer pages are written twice: what identifies an object is random,
/// so that a thousand of them change most pages of an index, as eight thousand do.
struct ImportBatch: Sendable {
  private(set) var items: [ImportedItem] = []
  /// The names of their types.
  private(set) var types: [String] = []
  private var size = 0

  /// About a thousand days of values. Another batch is being stored meanwhile.
  private static let mostBytes = 2 << 20

  var isFull: Bool { size >= Self.mostBytes }

  /// Packs an object.
  mutating func add(_ object: AppleObject) throws(AppleRefusal) {
    var item = try ImportedItem(object)
    item.pack()
    items.append(item)
    types.append(object.type.identifier)
    size += object.packedSize
  }
}

extension AppleObject {
  /// About how many bytes it takes while it waits, packed.
  fileprivate var packedSize: Int {
    switch content {
    case .series(_, let values, _): 500 + 50 * values.count
    case .draft, .workout: 2_000
    case .route(_, _, let locations): 500 + 100 * locations.count
    case .clinical(let record, _): 500 + record.resource.data.count
    }
  }
}

/// Why the store takes something not that was read.
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
    case .sample, .route: 1
    }
  }
}
