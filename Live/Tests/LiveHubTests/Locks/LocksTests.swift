import Testing

@testable import LiveHub

@Suite("Locks")
struct LocksTests {
  @Test("secrets have 256 random bits, and each is known by its print alone")
  func secrets() {
    let secrets = (0..<100).map { _ in Secret() }
    #expect(Set(secrets.map(\.text)).count == 100)
    for secret in secrets { #expect(SecretPrint(digits: secret.text) != nil) }
    #expect(secrets[0].print.matches(SecretPrint(of: secrets[0].text)))
    #expect(!secrets[0].print.matches(secrets[1].print))
  }

  @Test("a print differs in one bit from another, wherever it is")
  func bits() {
    let digits = Secret().print.digits
    let print = SecretPrint(digits: digits)
    for index in digits.indices {
      var changed = digits
      changed.replaceSubrange(index...index, with: digits[index] == "0" ? "1" : "0")
      #expect(print.map { $0.matches(SecretPrint(digits: changed) ?? $0) } == false)
    }
  }

  @Test("a list of tokens is the same after it was written and read, and holds no token")
  func list() throws {
    let secrets = (Secret(), Secret())
    var list = TokenList()
    try list.add("obs", secrets.0.print)
    try list.add("game.1", secrets.1.print)
    let read = try TokenList(list.text)
    #expect(read.names == ["obs", "game.1"])
    #expect(read.owner(of: secrets.1.print) == "game.1")
    #expect(read.owner(of: Secret().print) == nil)
    #expect(!list.text.contains(secrets.0.text))
  }

  @Test("a token that was revoked opens nothing")
  func revoked() throws {
    let secret = Secret()
    var list = TokenList()
    try list.add("obs", secret.print)
    try list.revoke("obs")
    #expect(list.owner(of: secret.print) == nil)
    #expect(throws: TokenList.Failure.unknown) { try list.revoke("obs") }
  }

  @Test(
    "names are short and plain, and only one has each",
    arguments: ["", "a b", "a\nb", "ä", String(repeating: "a", count: 41)])
  func names(name: String) throws {
    var list = TokenList()
    #expect(throws: TokenList.Failure.invalidName) { try list.add(name, Secret().print) }
    try list.add("a", Secret().print)
    #expect(throws: TokenList.Failure.exists) { try list.add("a", Secret().print) }
    for number in 1..<TokenList.capacity { try list.add("a\(number)", Secret().print) }
    #expect(throws: TokenList.Failure.full) { try list.add("b", Secret().print) }
  }

  @Test("a damaged list is refused with its line, whatever is wrong")
  func damaged() {
    let sound = "a \(Secret().print.digits)\n"
    for line in [
      "a", "a 12", "a  \(Secret().print.digits)", sound, "a/b \(Secret().print.digits)",
      "b \(Secret().print.digits.uppercased())",
    ] {
      #expect(throws: TokenList.Failure.damaged(line: 2)) { try TokenList(sound + line) }
    }
    for count in 1..<sound.utf8.count - 1 {
      #expect(throws: TokenList.Failure.damaged(line: 1)) { try TokenList(String(sound.prefix(count))) }
    }
  }

  @Test("a link lets one browser in, once, and for two minutes")
  func link() throws {
    var visitors = Visitors()
    let link = visitors.invite(at: .zero)
    #expect(visitors.enter(with: "no", at: .zero) == nil)
    let entered = visitors.enter(with: link.text, at: .seconds(119))
    let cookie = try #require(entered)
    #expect(visitors.enter(with: link.text, at: .seconds(119)) == nil)
    #expect(visitors.knows(cookie.text, at: .seconds(119)))
    #expect(!visitors.knows(link.text, at: .seconds(119)))
    #expect(visitors.knows(cookie.text, at: .seconds(30 * 86_400)))
    #expect(!visitors.knows(cookie.text, at: .seconds(30 * 86_400 + 119)))
    let late = visitors.invite(at: .zero)
    #expect(visitors.enter(with: late.text, at: Visitors.linkLife) == nil)
  }

  @Test("of too many links and cookies the oldest go")
  func crowd() {
    var visitors = Visitors()
    let links = (0...Visitors.capacity).map { _ in visitors.invite(at: .zero) }
    #expect(visitors.enter(with: links[0].text, at: .zero) == nil)
    let cookies = links.dropFirst().compactMap { visitors.enter(with: $0.text, at: .zero) }
    #expect(cookies.count == Visitors.capacity)
    let more = visitors.invite(at: .zero)
    #expect(visitors.enter(with: more.text, at: .zero) != nil)
    #expect(!visitors.knows(cookies[0].text, at: .zero))
    #expect(visitors.knows(cookies[1].text, at: .zero))
  }

  @Test(
    "only its own names reach the hub, with its port",
    arguments: [
      (["127.0.0.1:8765"], true), (["localhost:8765"], true), (["LOCALHOST:8765"], true), (["[::1]:8765"], true),
      (["heart.example"], true), ([], false), (["127.0.0.1"], false), (["localhost:80"], false),
      (["rebound.example:8765"], false), (["localhost.:8765"], false), (["localhost:8765", "localhost:8765"], false),
      (["localhost:8765, x"], false), ([""], false),
    ])
  func hosts(values: [String], isAllowed: Bool) {
    #expect(HostRule(port: 8765, hosts: ["Heart.example"]).allows(hosts: values) == isAllowed)
  }

  @Test(
    "only pages of its own may ask",
    arguments: [
      ([], true), (["http://127.0.0.1:8765"], true), (["http://localhost:8765"], true),
      (["https://heart.example"], true),
      (["https://127.0.0.1:8765"], false), (["http://127.0.0.1:9999"], false), (["null"], false), ([""], false),
      (["http://evil.example"], false), (["http://127.0.0.1:8765", "http://evil.example"], false),
      (["http://127.0.0.1:8765.evil.example"], false),
    ])
  func origins(values: [String], isAllowed: Bool) {
    #expect(HostRule(port: 8765, hosts: ["heart.example"]).allows(origins: values) == isAllowed)
  }

  @Test("a target is a path and its parameters")
  func target() throws {
    let target = try #require(Target("/ws?dialect=hype%52ate&a+b=%2F&empty&x=1=2"))
    #expect(target.path == "/ws")
    #expect(target["dialect"] == "hypeRate")
    #expect(target["a b"] == "/")
    #expect(target["empty"] == "")
    #expect(target["x"] == "1=2")
    #expect(target["y"] == nil)
  }

  @Test(
    "what is no target is refused",
    arguments: ["", "hr", "http://localhost/hr", "/?a=%", "/?a=%4", "/?a=%zz", "/?a=%ff", "/?a=1&a=2", "*"])
  func noTarget(text: String) {
    #expect(Target(text) == nil)
  }
}
