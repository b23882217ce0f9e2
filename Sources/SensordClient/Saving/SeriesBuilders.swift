import RecorderBus
import DBus
public import FoundationEssentials
public import HealthModel

extension SensordClient {
  /// Begins a series of quantities that the recorder stores as it grows.
  ///
  /// - Parameters:
  ///   - type: The quantity type.
  ///   - start: When the series begins: no quantity may start before it.
  ///   - device: The hardware that measures.
  ///   - metadata: Metadata to store; more can be added at the series' end.
  /// - Returns: The builder of the series.
  /// - Throws: ``ClientError/notAuthorized``, ``ClientError/unknownType``, ``ClientError/limitsExceeded(_:)``, and others.
  @concurrent public func quantitySeriesBuilder(
    type: QuantityType, start: Timestamp, device: Device? = nil, metadata: Metadata = [:]
  ) async throws(ClientError) -> ClientQuantitySeriesBuilder {
    var options: [String: Value] = ["unit": .string(type.unit.symbol)]
    options["device"] = device?.value
    if !metadata.isEmpty { options["metadata"] = metadata.value }
    let answer = try await link.call(
      ClientInterfaces.healthStore, "NewQuantitySeries",
      [.string(type.identifier), .int64(start.microseconds), .properties(options)])
    guard let path = answer.first?.objectPath else { throw .unreadable }
    return ClientQuantitySeriesBuilder(type: type, start: start, client: self, path: path)
  }
}

/// Builds a series of quantities in the recorder.
///
/// Values are safe as soon as their insertion has returned: neither the end of this program nor that of the recorder
/// loses them, and after a few seconds not even a power cut does. A series whose program ends before it is finished is
/// stored up to its last value, and its metadata say `interrupted`.
public struct ClientQuantitySeriesBuilder: Sendable {
  /// The quantity type.
  public let type: QuantityType
  /// When the series begins.
  public let start: Timestamp
  let client: SensordClient
  let path: ObjectPath

  /// Inserts a quantity in any unit compatible with the type's. Each call goes to the recorder: insert many at once
  /// (``insert(contentsOf:)``), not more than 100 times a second.
  ///
  /// - Throws: As the other form.
  @concurrent public func insert(_ quantity: Quantity, for span: TimeSpan) async throws(ClientError) {
    try await insert(contentsOf: [(quantity, span)])
  }

  /// Inserts quantities, all or none, in any order; a quantity replaces an earlier one with the same start.
  ///
  /// - Throws: ``ClientError/series(_:)``, ``ClientError/invalidSample(_:)``, ``ClientError/ended``, ``ClientError/notStored``
  ///   where the disk is full, and others.
  @concurrent public func insert(contentsOf quantities: [(quantity: Quantity, span: TimeSpan)])
    async throws(ClientError)
  {
    var values: [Value] = []
    for (quantity, span) in quantities {
      guard let value = try? quantity.value(in: type.unit) else {
        throw .series(.incompatibleUnit(unit: quantity.unit.symbol, type: type.identifier))
      }
      values.append(
        .structure([.int64(span.start.microseconds), .int64(span.end.microseconds), .double(value)]))
    }
    _ = try await client.link.call(
      ClientInterfaces.quantitySeries, "Insert", [.array(values, of: "(xxd)")], at: path)
  }

  /// Ends the series, and returns its identifier when it is stored; later calls throw ``ClientError/ended``.
  ///
  /// - Parameters:
  ///   - end: Not before the end of a quantity; nil for that of the last one.
  ///   - metadata: Metadata to store; the last value of a key counts.
  /// - Returns: Its identifier in the store.
  /// - Throws: ``ClientError/invalidSample(_:)`` for an empty series or an end that is too early; it can go on then.
  ///   ``ClientError/notStored`` where it is safe in the recorder's journal and stored later, and others.
  @concurrent public func finish(end: Timestamp? = nil, metadata: Metadata = [:]) async throws(ClientError) -> UUID {
    try await client.finishSeries(ClientInterfaces.quantitySeries, at: path, end: end, metadata)
  }

  /// Discards the series; later calls throw ``ClientError/ended``.
  @concurrent public func discard() async throws(ClientError) {
    _ = try await client.link.call(ClientInterfaces.quantitySeries, "Discard", at: path)
  }
}

extension SensordClient {
  @concurrent func finishSeries(
    _ interface: Interface, at path: ObjectPath, end: Timestamp?, _ metadata: Metadata
  ) async throws(ClientError) -> UUID {
    let answer = try await link.call(
      interface, "Finish", [.int64(end?.microseconds ?? 0), metadata.value], at: path)
    guard let id = answer.first?.string.flatMap({ UUID(uuidString: $0) }) else { throw .unreadable }
    return id
  }
}

extension SensordClient {
  /// Begins a series of heartbeats that the recorder stores as it grows.
  ///
  /// - Parameters:
  ///   - start: When the series begins.
  ///   - timescale: Ticks per second; 1024 for Bluetooth sensors.
  ///   - device: The hardware that measures.
  ///   - metadata: Metadata to store; more can be added at the series' end.
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

/// Builds a series of heartbeats in the recorder; its values are as safe as those of ``ClientQuantitySeriesBuilder``.
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
