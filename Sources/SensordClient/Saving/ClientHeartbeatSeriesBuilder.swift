import ClientInterfaces
import DBus
public import FoundationEssentials
public import HealthModel

extension SensordClient {
  /// Begins a series of heartbeats that the recorder keeps as it grows.
  ///
  /// - Parameters:
  ///   - start: When the series begins.
  ///   - timescale: Ticks per second; 1024 for Bluetooth sensors.
  ///   - device: The hardware that measures.
  ///   - metadata: What is stored with it; more can be added at its end.
  /// - Returns: The builder of the series.
  /// - Throws: ``ClientError/notAuthorized``, ``ClientError/limitsExceeded(_:)``, and others.
  @concurrent public func heartbeatSeriesBuilder(
    start: Timestamp, timescale: Int32 = 1024, device: Device? = nil, metadata: Metadata = [:]
  ) async throws(ClientError) -> ClientHeartbeatSeriesBuilder {
    var options: [String: Value] = ["timescale": .int32(timescale)]
    options["device"] = device?.value
    if !metadata.isEmpty { options["metadata"] = metadata.value }
    let answer = try await link.call(
      ClientInterfaces.healthStore, "NewHeartbeatSeries", [.int64(start.microseconds), .properties(options)])
    guard let path = answer.first?.objectPath else { throw .unreadable }
    return ClientHeartbeatSeriesBuilder(start: start, timescale: timescale, client: self, path: path)
  }
}

/// Builds a series of heartbeats in the recorder; it keeps what it has as ``ClientQuantitySeriesBuilder`` says.
public struct ClientHeartbeatSeriesBuilder: Sendable {
  /// When the series begins.
  public let start: Timestamp
  /// Ticks per second.
  public let timescale: Int32
  let client: SensordClient
  let path: ObjectPath

  /// Adds a beat so many ticks after the series' start. Each call goes to the recorder: add many at once
  /// (``add(contentsOf:)``), not more than 100 times a second.
  ///
  /// - Throws: As the other form.
  @concurrent public func add(atTicks ticks: Int64, precededByGap: Bool = false) async throws(ClientError) {
    try await add(contentsOf: [SampleDraft.HeartbeatTick(ticks, precededByGap: precededByGap)])
  }

  /// Adds beats, all or none. Their ticks strictly increase.
  ///
  /// - Throws: ``ClientError/invalidSample(_:)``, ``ClientError/ended``, ``ClientError/notStored`` where the disk is full, and
  ///   others.
  @concurrent public func add(contentsOf beats: [SampleDraft.HeartbeatTick]) async throws(ClientError) {
    let values = beats.map { Value.structure([.int64($0.ticks), .boolean($0.precededByGap)]) }
    _ = try await client.link.call(
      ClientInterfaces.heartbeatSeries, "Add", [.array(values, of: "(xb)")], at: path)
  }

  /// Ends the series with its last beat; else as ``ClientQuantitySeriesBuilder/finish(end:metadata:)``.
  @concurrent public func finish(metadata: Metadata = [:]) async throws(ClientError) -> UUID {
    try await client.finishSeries(ClientInterfaces.heartbeatSeries, at: path, end: nil, metadata)
  }

  /// Discards the series; later calls throw ``ClientError/ended``.
  @concurrent public func discard() async throws(ClientError) {
    _ = try await client.link.call(ClientInterfaces.heartbeatSeries, "Discard", at: path)
  }
}
