import Glibc

/// The target under test, chosen by the environment once: all of them are one program, built once.
private let target: FuzzTarget = {
  guard let name = unsafe getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
    fatalError("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// libFuzzer calls this with each input that it makes up; what traps in here it keeps.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try target.read(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError(error.description)
  }
  return 0
}
