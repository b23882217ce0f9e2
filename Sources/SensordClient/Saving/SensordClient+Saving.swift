import RecorderBus
import DBus
public import FoundationEssentials
public import HealthModel

extension SensordClient {
  /// Saves samples, all or none, under this program's name.
  ///
  /// - Returns: Their identifiers in the store, in the same order. A sample with a ``HealthModel/SyncIdentity`` whose version is
  ///   not newer than what is stored changes nothing, and has the stored one's.
  /// - Throws: ``ClientError/notAuthorized``, ``ClientError/unknownType``, ``ClientError/invalidSample(_:)``,
  ///   ``ClientError/notStored``, and others.
  @discardableResult
  @concurrent public func save(_ samples: [SampleDraft]) async throws(ClientError) -> [UUID] {
    let answer = try await link.call(
      ClientInterfaces.healthStore, "Save", [.array(samples.map(\.value), of: "a{sv}")])
    let ids = (answer.first?.strings ?? []).compactMap { UUID(uuidString: $0) }
    guard ids.count == samples.count else { throw .unreadable }
    return ids
  }

  /// Saves one sample; see ``save(_:)-([SampleDraft])``.
  @discardableResult
  @concurrent public func save(_ sample: SampleDraft) async throws(ClientError) -> UUID {
    // One sample has one identifier.
    guard let id = try await save([sample]).first else { throw .unreadable }
    return id
  }

  /// Saves the route of a stored workout of this program's, as ``HealthModel/WorkoutRouteBuilder`` has made it. A live workout is
  /// stored when ``LiveWorkout/end(recovery:)`` has returned.
  ///
  /// A call carries ``mostLocationsInCall`` locations: a longer way becomes several routes, one after the other. The
  /// part that is saved is deleted again where the rest cannot be; if the recorder is gone by then, it stays.
  ///
  /// - Parameters:
  ///   - route: Its identifier in the store is another, which the recorder gives it.
  ///   - device: The device that received the locations.
  /// - Returns: The identifiers of the routes in the store, in order of time; mostly one.
  /// - Throws: ``ClientError/notFound`` where there is no such workout of this program's, and as ``save(_:)-([SampleDraft])``.
  @discardableResult
  @concurrent public func save(_ route: WorkoutRoute, device: Device? = nil) async throws(ClientError) -> [UUID] {
    var drafts: [SampleDraft] = []
    do throws(WorkoutRouteError) {
      try route.validate()
      var rest = route.locations[...]
      while !rest.isEmpty {
        let part = Array(rest.prefix(Self.mostLocationsInCall))
        drafts.append(
          try SampleDraft(WorkoutRoute(of: route.workout, part, metadata: route.metadata), device: device))
        rest = rest.dropFirst(part.count)
      }
    } catch {
      throw .series(.invalidRoute(error))
    }
    var saved: [UUID] = []
    do throws(ClientError) {
      for draft in drafts { saved.append(try await save(draft)) }
    } catch {
      if !saved.isEmpty { try? await delete(saved) }
      throw error
    }
    return saved
  }

  /// The most locations of a route that one call saves: half an hour of one a second. A message has 16,384 values, those within values
  /// included, and a location has nine.
  public static let mostLocationsInCall = 1_800

  /// Deletes samples that this program saved, all or none.
  ///
  /// - Throws: ``ClientError/notFound`` where one of them is not there or another program's, and others.
  @concurrent public func delete(_ samples: [UUID]) async throws(ClientError) {
    _ = try await link.call(
      ClientInterfaces.healthStore, "Delete", [.strings(samples.map { $0.uuidString.lowercased() })])
  }
}
