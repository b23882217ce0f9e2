import FoundationEssentials
import SeriesStore
import Testing

/// Names of sessions, for every command and for the library.
struct SessionNameTests {
  private let id = UUID(uuidString: "3F2A91BC-1111-4000-8000-000000000001")!

  @Test(
    "the first digits of the identifier name it, in either case, with or without hyphens",
    arguments: [
      "3f2a", "3F2A91BC", "3f2a91bc-1111", "3f2a91bc1111", "3f2a91bc-1111-4000-8000-000000000001",
      "3f2a91bc111140008000000000000001",
    ])
  func names(text: String) throws {
    #expect(try #require(SessionName(text)).matches(id))
  }

  @Test("other digits name another one")
  func other() throws {
    #expect(try !#require(SessionName("4f2a")).matches(id))
    #expect(try !#require(SessionName("3f2a91bc-1112")).matches(id))
  }

  @Test("last is a word, and no identifier begins with it")
  func last() throws {
    #expect(SessionName("last") == .last)
    #expect(!SessionName.last.matches(id))
  }

  @Test(
    "what can name none is not taken for a name",
    arguments: ["", "3f2", "----", "3f2-", "latest", "3f2g", "３f2a", String(repeating: "a", count: 33)])
  func nameless(text: String) {
    #expect(SessionName(text) == nil)
  }
}
