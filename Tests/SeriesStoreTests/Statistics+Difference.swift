import HealthModel

extension Statistics {
  /// In what the store's answer differs from the one that is expected; nil where it does not.
  static func difference(_ found: [Statistics], _ expected: [Statistics]) -> String? {
    guard found.count == expected.count else { return "\(found.count) results, not \(expected.count)" }
    for (found, expected) in zip(found, expected) {
      var found = found
      // Sums of many parts may differ in the last digits.
      for path in [\Statistics.average, \.sum] {
        if let one = found[keyPath: path], let other = expected[keyPath: path], abs(one - other) <= 1e-9 * abs(other) {
          found[keyPath: path] = other
        }
      }
      if zip(found.sourceWeights, expected.sourceWeights).allSatisfy({ abs($0 - $1) <= 1e-9 }),
        found.sourceWeights.count == expected.sourceWeights.count
      {
        found.sourceWeights = expected.sourceWeights
      }
      guard found == expected else { return "\(found)\n  instead of \(expected)" }
    }
    return nil
  }
}
