import HealthModel
import SeriesStore
import Testing

@testable import Ingestion

@Suite("The keeper of the store")
struct StoreKeeperTests {
  private var keeper = StoreKeeper()
  private let file = StoreFileState(device: 1, inode: 2, size: 3, modified: 4)
  private let copied = StoreFileState(device: 1, inode: 2, size: 9, modified: 5)

  @Test("a store in its place is left alone")
  mutating func sound() {
    #expect(keeper.touched(hasVanished: false) == nil)
    #expect(keeper.look(hasVanished: false, found: nil) == .done)
    #expect(keeper.isSound && keeper.reopening == .notNeeded)
  }

  @Test("another store is opened once it is the same at two looks")
  mutating func replaced() {
    #expect(keeper.touched(hasVanished: true) == .milliseconds(300))
    #expect(keeper.look(hasVanished: true, found: file) == .again(after: .milliseconds(300)))
    #expect(keeper.look(hasVanished: true, found: copied) == .again(after: .milliseconds(300)))
    #expect(keeper.look(hasVanished: true, found: copied) == .open)
    #expect(keeper.look(hasVanished: true, found: copied) == .again(after: .milliseconds(300)))
  }

  @Test("one look is due at a time, however often the file is touched")
  mutating func oneLook() {
    #expect(keeper.touched(hasVanished: true) != nil)
    #expect(keeper.isLooking)
    #expect(keeper.touched(hasVanished: true) == nil)
    _ = keeper.look(hasVanished: true, found: file)
    #expect(keeper.touched(hasVanished: true) == nil)
    _ = keeper.look(hasVanished: false, found: nil)
    #expect(keeper.touched(hasVanished: true) != nil)
    // What stood there before it was in its place again counts for nothing.
    #expect(keeper.look(hasVanished: true, found: file) == .again(after: .milliseconds(300)))
  }

  @Test("a missing store is waited for, one that cannot be opened is tried again")
  mutating func missing() {
    #expect(keeper.look(hasVanished: true, found: nil) == .again(after: .seconds(5)))
    #expect(keeper.look(hasVanished: true, found: nil) == .again(after: .seconds(5)))
    _ = keeper.look(hasVanished: true, found: file)
    #expect(keeper.look(hasVanished: true, found: file) == .open)
    #expect(!keeper.isLooking)
    #expect(keeper.openingFailed() == .seconds(60))
    #expect(keeper.isLooking)
  }

  @Test("after a failure of the disk the same file is opened anew, once", arguments: [StoreError.Code.io, .closed])
  func doubtful(_ code: StoreError.Code) {
    var keeper = StoreKeeper()
    keeper.lastErasedChange = nil
    keeper.commitFailed(StoreError(code, "x"))
    #expect(!keeper.isSound && keeper.reopening == .sameFile)
    keeper.reopened()
    #expect(keeper.isSound && keeper.reopening == .notNeeded)
    #expect(keeper.lastErasedChange == nil)
  }

  @Test("what the store refuses says nothing against its file")
  mutating func refused() {
    keeper.commitFailed(StoreError(.full, "x"))
    #expect(keeper.isSound)
  }

  @Test("a file that has lost its place stays vanished until another is open, and changes are counted anew then")
  mutating func vanished() {
    #expect(keeper.vanished().level == .error)
    #expect(keeper.reopening == .otherFile)
    keeper.commitFailed(StoreError(.io, "x"))
    #expect(keeper.reopening == .otherFile)
    keeper.reopened()
    #expect(keeper.isSound)
    #expect(keeper.lastErasedChange == .start)
  }
}
