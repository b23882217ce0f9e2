import ClientInterfaces
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

  /// Deletes samples that this program saved, all or none.
  ///
  /// - Throws: ``ClientError/notFound`` where one of them is not there or another program's, and others.
  @concurrent public func delete(_ samples: [UUID]) async throws(ClientError) {
    _ = try await link.call(
      ClientInterfaces.healthStore, "Delete", [.strings(samples.map { $0.uuidString.lowercased() })])
  }
}
