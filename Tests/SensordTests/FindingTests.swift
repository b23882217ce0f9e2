import Reports
import Testing

@testable import sensord

@Suite("Finding")
struct FindingTests {
  private let good = Finding(title: "message bus", result: .passed("the system bus answers"))
  private let bad = Finding(
    title: "adapter", result: .failed("there is none", remedy: "plug one in", status: .unavailable))
  private let forbidden = Finding(title: "store", result: .failed("not yours", remedy: "chown", status: .permission))
  private let skipped = Finding(title: "power", result: .skipped("not looked at"))

  @Test("the first check that failed decides the exit code")
  func status() {
    #expect(Finding.status([good, skipped]) == .success)
    #expect(Finding.status([good, bad, forbidden]) == .unavailable)
    #expect(Finding.status([forbidden, bad]) == .permission)
  }

  @Test("a failure is followed by its remedy")
  func text() {
    #expect(good.text == "✓ message bus     the system bus answers\n")
    #expect(bad.text == "✗ adapter         there is none\n    → plug one in\n")
    #expect(skipped.text == "- power           not looked at\n")
  }
}
