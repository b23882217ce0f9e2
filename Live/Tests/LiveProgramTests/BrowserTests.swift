import Foundation
import TestSupport
import Testing

/// Debian's Chromium looks at the pages of a hub with a recorder behind it. What it sees is printed; set SENSORD_SCREENSHOTS to a folder for pictures.
@Suite("The pages in a browser", .timeLimit(.minutes(10)))
struct BrowserTests {
  @Test("live and recorded, small and large, dark and light, with the keyboard alone, and nothing that axe would find")
  func pages() async throws {
    let stage = try ProgramStage()
    try stage.replay()
    let night = try stage.foreign("night.py", "\(stage.folder.path)/night.capture")
    #expect(try await night.ended() == 0, "\(night.text)")
    try stage.replay("\(stage.folder.path)/night.capture")
    try await stage.recorder()
    let hub = try stage.hub()
    try await hub.printed("listening on")
    let token = try stage.ask("token", "add", "overlay")
    let strap = try await stage.handStrap()
    let pictures = ProcessInfo.processInfo.environment["SENSORD_SCREENSHOTS"].map { [$0] } ?? []
    let browser = try stage.foreign("browser.py", [stage.place, try stage.ask("open"), token] + pictures)
    try await browser.printed("sees a value")
    try strap.befalls(#"{"event": "vanish"}"#)
    try await browser.printed("sees none")
    try strap.befalls(#"{"event": "advertise"}"#)
    try await browser.printed("sees all")
    hub.send(SIGSTOP)
    try await browser.printed("sees no hub")
    hub.send(SIGCONT)
    let status = try await browser.ended()
    print(browser.text)
    #expect(status == 0, "\(browser.text)")
  }

  @Test("every named screen fits its window, and neither axe nor the console has anything to say")
  func screens() async throws {
    let folder = TemporaryFolder()
    let pictures = ProcessInfo.processInfo.environment["SENSORD_SCREENSHOTS"] ?? folder.path
    let screens = try ProgramStage().foreign("screens.py", pictures)
    let status = try await screens.ended()
    print(screens.text)
    #expect(status == 0, "\(screens.text)")
  }
}
