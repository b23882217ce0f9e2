import RecorderBus
import DBus
public import HealthModel

extension SensordClient {
  /// The values and states of sensors from now on, until the loop is left.
  ///
  /// Each stream is a connection of its own, so that the numbers of its values are complete. A user may have 32. A
  /// program that reads slower than values come misses the oldest that wait; each value has the number of those missing
  /// before it. Without an address, the stream has the values of all sensors that the program may read.
  public func liveValues(of sensors: [String] = []) -> LiveValues {
    LiveValues(client: self, sensors: sensors)
  }
}

/// The values and states of sensors; see ``SensordClient/liveValues(of:)``.
public struct LiveValues: AsyncSequence, Sendable {
  /// The elements, in order.
  public typealias Element = LiveValue
  /// Why it cannot begin.
  public typealias Failure = ClientError

  let client: SensordClient
  let sensors: [String]

  /// Subscribes.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(client, sensors)
  }

  /// Ends the subscription when it is released.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// As many values as wait at most.
    private static let capacity = 4096

    private enum Item: Sendable {
      case subscribed
      case signal(Message)
      case lost
      case failed(ClientError)
    }

    private let client: SensordClient
    private var items: AsyncStream<Item>.Iterator
    private var isSubscribed = false
    /// The number of the last value.
    private var sequence: UInt64 = 0

    init(_ client: SensordClient, _ sensors: [String]) {
      self.client = client
      let (stream, arrive) = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .bufferingNewest(Self.capacity))
      items = stream.makeAsyncIterator()
      let task = Task(executorPreference: client.link.loop) {
        await client.withStream { event in
          switch event {
          case .signal(let message): arrive.yield(.signal(message))
          case .lost: arrive.yield(.lost)
          }
        } _: { link in
          await withTaskCancellationHandler {
            do throws(ClientError) {
              try await link.keep { link throws(ClientError) in
                _ = try await link.call(ClientInterfaces.live, "Subscribe", [.strings(sensors)])
                arrive.yield(.subscribed)
              }
            } catch {
              if error != .closed { arrive.yield(.failed(error)) }
            }
          } onCancel: {
            Task(executorPreference: link.loop) { await link.close() }
          }
        }
        arrive.finish()
      }
      arrive.onTermination = { _ in task.cancel() }
    }

    /// The next value; nil when the task is cancelled or the client closed.
    public mutating func next() async throws(ClientError) -> LiveValue? {
      try await next(isolation: #isolation)
    }

    /// The next value; nil when the task is cancelled or the client closed.
    ///
    /// - Throws: ``ClientError/invalidSensor``, ``ClientError/limitsExceeded(_:)``, ``ClientError/notRunning``, and others, at the
    ///   beginning; later the stream waits for what is gone.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> LiveValue? {
      while let item = await items.next(isolation: actor) {
        switch item {
        case .failed(let error): throw error
        case .lost:
          // An owner is told that there is no recorder yet.
          guard isSubscribed || client.link.application == nil else { continue }
          isSubscribed = false
          return .interrupted
        case .subscribed:
          isSubscribed = true
          sequence = 0
          return .subscribed
        case .signal(let message):
          if let value = read(message) { return value }
        }
      }
      return nil
    }

    private mutating func read(_ message: Message) -> LiveValue? {
      guard message.interface == ClientInterfaces.live.name else { return nil }
      switch message.member {
      case "Measurement":
        guard var measurement = LiveMeasurement(message.body) else { return nil }
        // Counts what was dropped here, too.
        measurement.missed = measurement.sequence > sequence ? measurement.sequence - sequence - 1 : 0
        sequence = measurement.sequence
        return .measurement(measurement)
      case "State":
        guard message.body.count == 3, let sensor = message.body[0].string,
          let state = message.body[1].string.flatMap(LiveState.init(rawValue:))
        else { return nil }
        return .state(state, sensor: sensor.isEmpty ? nil : sensor)
      case "Event": return LiveValue(event: message.body)
      default: return nil
      }
    }
  }
}

/// An element of a live stream. A later version may have more cases.
@nonexhaustive
public enum LiveValue: Hashable, Sendable {
  /// From here on values are sent; their numbers begin with 1. The first element, and one after each interruption.
  case subscribed
  /// A sensor sent a value.
  case measurement(LiveMeasurement)
  /// The state of a sensor has changed; `recorderStopping`, without a sensor, comes once, before an interruption.
  case state(LiveState, sensor: String?)
  /// A heart event was found in a session that is open. Provisional: what is stored is found at the session's end.
  case event(HeartEvent, sensor: String)
  /// Bus or recorder have ended: what was measured since the last value is not known. The stream goes on when they are back.
  case interrupted
}

/// The state of a sensor. A later version may have more cases.
@nonexhaustive
public enum LiveState: String, Hashable, Sendable {
  /// The sensor sends values.
  case measuring
  /// No value came for 3 s after the beat that was due.
  case stale
  /// The sensor is linked, and sends nothing.
  case silent
  /// The sensor reports that it is not on the skin.
  case offSkin
  /// There is no link to it.
  case linkLost
  /// The recorder ends.
  case recorderStopping
}

/// A value as a sensor sent it: provisional, because what is stored is computed from all values of a session at its end.
public struct LiveMeasurement: Hashable, Sendable {
  /// The sensor's address.
  public var sensor: String
  /// The number of the value within this subscription, from 1.
  public var sequence: UInt64
  /// The number of values before this one that the program did not receive, because it was slow or too many were sent.
  public var missed: UInt64
  /// When it arrived at the recorder.
  public var time: Timestamp
  /// Beats per minute; nil if the sensor sent no rate, or none for this program.
  public var beatsPerMinute: UInt16?
  /// The intervals between beats in 1/1024 s, oldest first.
  public var rrTicks: [UInt16]
  /// Whether the sensor is on the skin; nil if it does not know.
  public var isOnSkin: Bool?

  /// A beat whose time is not final.
  public struct Beat: Hashable, Sendable {
    /// When it was, if the last beat came with its packet. The final time may be up to a second earlier.
    public var time: Timestamp
    /// The interval that ended with it, in 1/1024 s.
    public var rrTicks: UInt16
    /// Whether beats before it are missing: no interval may be formed with the beat before.
    public var precededByGap: Bool
  }

  /// The beats of the intervals: the last at the time of arrival, each other one interval before the next.
  public var beats: [Beat] {
    var time = time
    var beats: [Beat] = []
    for (index, ticks) in rrTicks.enumerated().reversed() {
      beats.append(Beat(time: time, rrTicks: ticks, precededByGap: index == 0 && missed > 0))
      time = time.advanced(byMicroseconds: -Int64(ticks) * 1_000_000 / 1024)
    }
    return beats.reversed()
  }
}

extension LiveMeasurement {
  /// The arguments of `Live1.Measurement`; nil for others.
  init?(_ body: [Value]) {
    guard body.count == 6, let sensor = body[0].string, let sequence = body[1].uint64, let time = body[2].int64,
      let rate = body[3].uint16, let ticks = body[4].array, let details = body[5].properties
    else { return nil }
    self.init(
      sensor: sensor, sequence: sequence, missed: 0, time: Timestamp(microseconds: time),
      beatsPerMinute: rate == 0 ? nil : rate, rrTicks: ticks.compactMap(\.uint16),
      isOnSkin: details["contact"]?.boolean)
  }
}

extension LiveValue {
  /// The arguments of `Live1.Event`; nil for others, and for a type that this library does not know.
  init?(event body: [Value]) {
    guard body.count == 4, let sensor = body[0].string, let start = body[1].int64, let end = body[2].int64,
      let details = body[3].properties, let type = details["type"]?.string,
      let span = TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end)),
      let kind = HeartEvent.Kind(SampleType(identifier: type, kind: .category))
    else { return nil }
    let rule = HeartEvent.Rule(
      name: details["rule"]?.string ?? "", version: details["rule_version"]?.int64 ?? 0)
    self = .event(HeartEvent(kind, over: span, threshold: details["threshold"]?.double, rule: rule), sensor: sensor)
  }
}
