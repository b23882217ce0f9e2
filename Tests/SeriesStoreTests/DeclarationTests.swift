import TestSupport
import Testing

@testable import SeriesStore

@Suite("Declarations of a file that anybody may have made")
struct DeclarationTests {
  @Test(
    "plain tables and indexes of others, and views, which are never run, are harmless",
    arguments: [
      ("table", "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'check (1)')"),
      ("table", "my notes", #"CREATE TABLE "my notes" ("check" TEXT COLLATE NOCASE, [as] REAL, UNIQUE ([as]))"#),
      ("table", "later_rows", "CREATE TABLE later_rows (sample INTEGER, checksum INTEGER NOT NULL) WITHOUT ROWID"),
      ("table", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
      ("index", "my_samples", "CREATE INDEX my_samples ON samples (start DESC, [end] COLLATE NOCASE) -- mine"),
      ("index", "change_deleted", "CREATE INDEX change_deleted ON change (uuid) WHERE deleted"),
      ("index", "sqlite_autoindex_notes_1", ""),
      ("view", "mine", "CREATE VIEW mine AS SELECT zeroblob(1000000000)"),
      ("view", "session_list", "CREATE VIEW session_list AS SELECT 'an earlier version of it'"),
    ])
  func harmless(kind: String, name: String, text: String) {
    #expect(Declaration(kind: kind, name: name, text: text).objection() == nil)
  }

  @Test("those of this version are harmless")
  func own() {
    for table in Schema.allTables {
      #expect(Declaration(kind: "table", name: table.name, text: table.creation).objection() == nil)
    }
    for index in Schema.allIndexes {
      #expect(Declaration(kind: "index", name: index.name, text: index.text).objection() == nil)
      // An expression is harmless at its own name only.
      let other = index.text.replacing(index.name, with: "other")
      let isPlain = !index.text.contains("substr")
      #expect((Declaration(kind: "index", name: "other", text: other).objection() == nil) == isPlain)
    }
  }

  @Test(
    "what is computed for a row, what runs at a change, and what is not what it is listed as is not opened",
    arguments: [
      (
        "trigger", "added", "CREATE TRIGGER added AFTER INSERT ON changes BEGIN DELETE FROM samples; END",
        "is a trigger"
      ),
      ("table", "t", "CREATE VIRTUAL TABLE t USING fts5(x)", "is not what it is listed as"),
      ("table", "t", "CREATE TABLE t (a, b CHECK (zeroblob(400000000)))", "checks its rows"),
      ("table", "t", "CREATE TABLE t (a, b /* , */ Check(a))", "checks its rows"),
      ("table", "t", "CREATE TABLE t (a, b AS (zeroblob(400000000)))", "has a column that is computed"),
      (
        "table", "t", "CREATE TABLE t (a, b GENERATED ALWAYS AS (randomblob(9)) STORED)",
        "has a column that is computed"
      ),
      ("table", "t", "CREATE TABLE t (a DEFAULT /**/ (random()))", "has a default that is computed"),
      ("index", "i", "CREATE INDEX i ON samples (zeroblob(400000000))", "is of more than columns"),
      ("index", "i", "CREATE INDEX i ON samples (start + 1)", "is of more than columns"),
      ("index", "i", "CREATE INDEX i ON samples (start) WHERE hex(start)", "is of more than columns"),
      ("index", "i", "CREATE INDEX i ON samples (start) WHERE start > 1", "is of more than columns"),
      ("index", "i", "CREATE INDEX i ON samples (start", "is of more than columns"),
      ("index", "i", "CREATE INDEX i ON samples ('start')", "is of more than columns"),
      ("view", "samples", "CREATE VIEW samples AS SELECT 1", "is a view"),
      ("table", "Session_List", "CREATE TABLE Session_List (a)", "is a table"),
      ("table", "t", "CREATE VIEW t AS SELECT 1", "is not what it is listed as"),
      ("view", "v", "CREATE TABLE samples (a)", "is not what it is listed as"),
      ("table", "t", "CREATE TABLE samples (a)", "is not what it is listed as"),
      ("table", "t", "", "has no text"), ("table", "t", "drop everything", "is not what it is listed as"),
    ])
  func refused(kind: String, name: String, text: String, objection: String) {
    #expect(Declaration(kind: kind, name: name, text: text).objection() == objection)
  }

  @Test("words are divided as SQLite divides them, whatever is in the text")
  func words() {
    let words = Array(SQLWords("Create /* 'a */ \"T \"\"x\"[y z]`q`'it''s' -- end\n0x1F,_a$é;"))
    #expect(
      words == [
        .bare("create"), .quoted("t \"x"), .quoted("y z"), .quoted("q"), .literal, .literal, .sign(","),
        .bare("_a$é"), .sign(";"),
      ])
    for open in ["'", "\"", "[", "/*", "--", "`"] { #expect(Array(SQLWords("a \(open) b c")).first == .bare("a")) }
  }
}
