import Glibc
import TestSupport
import Testing

@testable import Captures

@Suite("Files that were set aside")
struct SetAsideFileTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/store.journal" }

  private func names() throws -> [String] { try SetAsideFile.all(in: path).map(\.name) }

  @Test("what recorders set aside is listed with its reason, and nothing else of the folder")
  func listed() throws {
    #expect(try names() == [])
    for name in [
      "00000001.journal", "00000002.journal.damaged", "00000003.journal.not-a-journal-2",
      "00000004.journal.newer-version-7", "00000005.journal.unreadable", "00000006.journal.damaged.seen",
      "00000007.journal.rewriting", "00000008.journal.damaged.rewriting", "notes.txt", "1.journal.damaged",
    ] {
      try folder.write("store.journal/\(name)", "x")
    }
    let files = try SetAsideFile.all(in: path)
    #expect(
      files.map(\.name) == [
        "00000002.journal.damaged", "00000003.journal.not-a-journal-2", "00000004.journal.newer-version-7",
        "00000005.journal.unreadable",
      ])
    #expect(Set(files.map(\.reason)).count == 4 && files.allSatisfy { $0.directory == path })
  }

  @Test("a file that somebody has looked at is no longer listed, and not lost")
  func seen() throws {
    try folder.write("store.journal/00000001.journal", "segment")
    try folder.write("store.journal/00000002.journal.damaged", "content")
    SetAsideFile.markAsSeen("\(path)/00000001.journal")
    SetAsideFile.markAsSeen("\(path)/../store.journal/00000002.journal.damaged")
    SetAsideFile.markAsSeen("\(path)/00000009.journal.damaged")
    #expect(try names() == [])
    #expect(TemporaryFolder.names(path) == ["00000001.journal", "00000002.journal.damaged.seen"])
    // Also a second one of the same name, and what is elsewhere is nobody's to rename.
    try folder.write("store.journal/00000002.journal.damaged", "second")
    SetAsideFile.markAsSeen("\(path)/00000002.journal.damaged")
    #expect(TemporaryFolder.names(path).last == "00000002.journal.damaged.seen-2")
    let copy = try folder.write("copies/00000002.journal.damaged", "copy")
    SetAsideFile.markAsSeen(copy)
    #expect(unsafe access(copy, F_OK) == 0)
  }

  @Test("the segments of a folder that was set aside are listed one by one, or the folder where it cannot be read")
  func folders() throws {
    try folder.write("store.journal.unreadable/00000001.journal", "x")
    try folder.write("other.journal.unreadable/00000002.journal", "x")
    #expect(try names() == ["00000001.journal"])
    SetAsideFile.markAsSeen("\(path).unreadable/00000001.journal")
    #expect(try names() == [])
    // A file in the place of the folder.
    try folder.write("store.journal.unreadable-2", "x")
    #expect(try SetAsideFile.all(in: path).map { "\($0.directory)/\($0.name)" } == ["\(path).unreadable-2"])
    SetAsideFile.markAsSeen("\(path).unreadable-2")
    #expect(try names() == [])
  }

  @Test("a deleted session is erased from what was looked at, too")
  func erased() throws {
    for name in ["00000002.journal.damaged", "00000002.journal.damaged.seen", "00000002.journal.damaged.seen-2"] {
      #expect(JournalErasure.isReadable(name), "\(name)")
    }
    #expect(!JournalErasure.isReadable("00000002.journal.damaged.rewriting"))
    #expect(!JournalErasure.isReadable("00000002.journal.not-a-journal.seen"))
  }

  @Test("a file that cannot be read now has not been looked at")
  func unreadable() {
    #expect(!SetAsideFile.isSeen(.unreadable(path: path, errorNumber: EACCES)))
    #expect(!SetAsideFile.isSeen(.unreadable(path: path, errorNumber: EIO)))
    #expect(SetAsideFile.isSeen(.unreadable(path: path, errorNumber: EISDIR)))
    #expect(SetAsideFile.isSeen(.notACapture))
  }
}
