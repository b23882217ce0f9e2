import ClientInterfaces
import DBus

extension SensordClient {
  /// What sensors send from now on, until the loop is left.
  ///
  /// Each stream is a connection of its own, so that the numbers of its values are complete. A user may have 32. A program that
  /// reads slower than values come misses the oldest that wait; each value says how many are missing before it. Where no
  /// address is named, they are those of all sensors that the program may read.
  public func liveValues(of sensors: [String] = []) -> LiveValues {
    LiveValues(client: self, sensors: sensors)
  }
}

/// What sensors send; see ``SensordClient/liveValues(of:)``.
public struct LiveValues: AsyncSequence, Sendable {
  /// What is told, in order.
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
          guard isSubscribed else { continue }
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
