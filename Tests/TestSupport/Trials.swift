import FoundationEssentials

/// How long random tests try: the tests a tenth of what `make soak` does.
public enum Trials {
  /// 1 in the tests; `make soak` sets SENSORD_TRIALS to more.
  public static var factor: Int {
    ProcessInfo.processInfo.environment["SENSORD_TRIALS"].flatMap { Int($0) } ?? 1
  }
}
