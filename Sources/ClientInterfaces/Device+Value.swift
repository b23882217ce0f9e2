package import DBus
package import HealthModel

extension Device {
  private static let fields: [(key: String, path: any WritableKeyPath<Device, String?> & Sendable)] = [
    ("name", \.name), ("manufacturer", \.manufacturer), ("model", \.model), ("hardware", \.hardwareVersion),
    ("firmware", \.firmwareVersion), ("software", \.softwareVersion), ("identifier", \.localIdentifier),
    ("udi", \.uniqueDeviceIdentifier),
  ]

  /// As an `a{sv}` of texts; what is not known is left out.
  package var value: Value {
    var values: [String: Value] = [:]
    for field in Self.fields { values[field.key] = self[keyPath: field.path].map { .string($0) } }
    return .properties(values)
  }

  /// - Throws: ``ArgumentError``.
  package init(_ value: Value) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "device")
    self.init()
    for field in Self.fields { self[keyPath: field.path] = try arguments.text(field.key) }
    try arguments.finish()
  }
}
