internal import Glibc

/// Sample entropy (Richman & Moorman 2000, Am. J. Physiol. Heart Circ. Physiol. 278:H2039), with the usual templates of two values and
/// a tolerance of a fifth of the standard deviation.
///
/// As the tolerance follows the deviation, it does not say how much the intervals vary, but how little of that follows from the
/// two before. Fibrillation has much of it, whether it is fast or slow, deep or shallow. Early beats from one place widen the deviation,
/// and what comes after one is known: they have little.
enum SampleEntropy {
  private static let template = 2
  private static let tolerance = 0.2

  /// - Parameter values: Three or more.
  /// - Returns: Nil where no two templates are alike. Where alike ones are never followed by alike values it is what half a
  ///   match would give.
  static func of(_ values: some Collection<Double>) -> Double? {
    let values = Array(values)
    let templates = values.count - template
    guard templates > 0 else { return nil }
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let reach = tolerance * (squares / Double(values.count - 1)).squareRoot()
    let span = values.span
    var (alike, followed) = (0, 0)
    for first in 0..<templates {
      for second in first + 1..<templates
      where abs(span[first] - span[second]) <= reach && abs(span[first + 1] - span[second + 1]) <= reach {
        alike += 1
        if abs(span[first + 2] - span[second + 2]) <= reach { followed += 1 }
      }
    }
    guard alike > 0 else { return nil }
    return -log((followed > 0 ? Double(followed) : 0.5) / Double(alike))
  }
}
