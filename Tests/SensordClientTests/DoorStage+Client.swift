import SensordClient
import TestSupport

extension DoorStage {
  /// A program that uses the library.
  func client(_ application: String = DoorStage.game) async throws -> SensordClient {
    try await SensordClient.connect(to: .address(bus.address), application: application)
  }
}

extension LiveValues.AsyncIterator {
  /// The next measurement.
  mutating func measurement() async throws -> LiveMeasurement? {
    while let value = try await next() {
      if case .measurement(let measurement) = value { return measurement }
    }
    return nil
  }

  /// Skips what comes before `value`; whether it came.
  mutating func reach(_ value: LiveValue) async throws -> Bool {
    while let next = try await next() {
      if next == value { return true }
    }
    return false
  }
}
