// The fuzzer's package has these sources in it: a program cannot be linked with another program.
#if !FUZZER
  @testable import sensord
#endif

extension FuzzTarget {
  static func readConfiguration(_ bytes: [UInt8]) throws(BrokenPromise) {
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    do {
      let configuration = try Configuration(reading: bytes)
      try BrokenPromise.unless(
        (.seconds(1) ... .seconds(60)).contains(configuration.syncInterval), "settings are in their ranges")
    } catch let error as ConfigurationError {
      try BrokenPromise.unless((1...lines).contains(error.line), "an error names a line of the file")
    } catch let broken as BrokenPromise {
      throw broken
    } catch {
      throw BrokenPromise(description: "an error of another kind: \(error)")
    }
  }
}
