import FoundationEssentials

/// How long random and exhaustive tests try: the tests a part of what `make check-all` and `make soak` do.
public enum Trials {
  /// 1 in the tests; the long trials set SENSORD_TRIALS to more.
  public static var factor: Int {
    ProcessInfo.processInfo.environment["SENSORD_TRIALS"].flatMap { Int($0) } ?? 1
  }

  /// The cases of an exhaustive test: in the tests `count` of them, spread evenly from the first one on; in the long trials all.
  public static func some<Cases: Collection>(_ count: Int, of cases: Cases) -> [Cases.Element] {
    let all = Array(cases)
    guard factor == 1, count < all.count else { return all }
    return (0..<count).map { all[$0 * all.count / count] }
  }
}
