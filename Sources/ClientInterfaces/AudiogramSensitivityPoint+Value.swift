package import DBus
package import HealthModel

// A point is a structure of three: the frequency in hertz, then the thresholds of the left and the right ear in dBHL. What was not
// measured is NaN.

extension AudiogramSensitivityPoint {
  package static let signature: Signature = "(ddd)"

  package var value: Value {
    .structure([.double(frequency), .double(leftEarSensitivity ?? .nan), .double(rightEarSensitivity ?? .nan)])
  }

  /// - Throws: ``ArgumentError/invalid(_:)``. Ranges are looked at by whoever stores it.
  package init(_ value: Value) throws(ArgumentError) {
    guard let numbers = value.structure?.compactMap(\.double), numbers.count == 3, value.structure?.count == 3 else {
      throw .invalid("points")
    }
    func known(_ place: Int) -> Double? { numbers[place].isNaN ? nil : numbers[place] }
    self.init(hertz: numbers[0], left: known(1), right: known(2))
  }
}
