internal import HealthModel
package import SeriesStore

extension AllowedSensor {
  /// `{"address", "name", "added"}`.
  package var json: JSONValue {
    ["address": .string(address), "name": .string(name), "added": .string(added.iso8601())]
  }
}
