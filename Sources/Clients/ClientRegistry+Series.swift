package import FoundationEssentials
package import HealthModel

// Series that clients insert: who may, and whose they are.

extension ClientRegistry {
  /// A client wants to begin a series; until ``began(_:)`` or ``seriesFailed(_:)`` it counts as one that it has.
  ///
  /// - Parameters:
  ///   - name: Who.
  ///   - type: The identifier of the type.
  /// - Returns: Whose the series will be.
  /// - Throws: ``Refusal/unknownType``, ``Refusal/notAuthorized``, ``Refusal/limitsExceeded(_:)``.
  package mutating func mayBeginSeries(_ name: String, of type: String) throws(Refusal) -> ClientIdentity {
    guard isKnown(type) else { throw .unknownType }
    guard let client = clients[name], may(client, .share, type) else { throw .notAuthorized }
    let room = (limits.seriesOfClient, limits.seriesOfUser)
    guard hasRoom(client.identity, in: room, beside: series.values.map(\.owner), beginning: \.beginningSeries)
    else { throw .limitsExceeded(.series) }
    clients[name]?.beginningSeries += 1
    return client.identity
  }

  /// The series that a client wanted has begun.
  ///
  /// - Returns: Its end where the client is gone, or may not have it any more.
  package mutating func began(_ its: ClientSeriesEntry) -> [Effect] {
    clients[its.connection]?.beginningSeries -= 1
    guard let client = clients[its.connection], may(client, .share, its.type) else {
      return [.interruptSeries(its.identifier)]
    }
    var its = its
    its.needsGrant = !client.isOwner
    series[its.identifier] = its
    return []
  }

  /// The series that a client wanted could not begin.
  package mutating func seriesFailed(_ name: String) {
    clients[name]?.beginningSeries -= 1
  }

  /// The series that a connection sees, which are its client's own; to an owner all. In order of their identifiers.
  package func series(for name: String) -> [ClientSeriesEntry] {
    series.values.filter { owns($0.owner, name) }.sorted { $0.identifier.uuidString < $1.identifier.uuidString }
  }

  /// A series that a connection sees; nil for others', which are to it as if they were not there.
  package func series(_ identifier: UUID, for name: String) -> ClientSeriesEntry? {
    series[identifier].flatMap { owns($0.owner, name) ? $0 : nil }
  }

  /// The end of a series is asked for: it takes no more values, and is there until it is stored.
  package mutating func ending(series identifier: UUID) {
    series[identifier]?.isEnding = true
  }

  /// The end of a series was refused: it goes on.
  package mutating func goesOn(series identifier: UUID) {
    series[identifier]?.isEnding = false
  }

  /// A series is over: stored, discarded, or ended by itself.
  package mutating func ended(series identifier: UUID) {
    series[identifier] = nil
  }
}
