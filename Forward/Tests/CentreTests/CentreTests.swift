import FoundationEssentials
import SeriesStore
import Testing

@testable import Centre

@Suite("The centre's tables, statements and configuration")
struct CentreTests {
  @Test("whatever a person has is keyed by person and time first, and by gateway and object")
  func keys() {
    for table in CentreTable.sharded {
      #expect(Array(table.key.prefix(3)) == ["person", "time", "gateway"], "\(table.name)")
      #expect(["id", "owner"].contains(table.key[3]), "\(table.name)")
    }
    for table in CentreTable.all {
      #expect(Set(table.key).isSubset(of: Set(table.columns.map(\.name))), "\(table.name)")
      #expect(CentreSchema.script.contains("ALTER TABLE \(table.fullName) ENABLE ROW LEVEL SECURITY;"), "\(table.name)")
    }
    #expect(!CentreSchema.script.contains("TRIGGER") && !CentreSchema.script.contains("EXTENSION"))
  }

  @Test("a node over a network is asked for its certificate, one by a socket or with a mode of its own as it is said")
  func nodes() {
    let modes = ["host=db", "host=/run/postgresql", "host=db sslmode=verify-ca"].map { text in
      let parameters = text.split(separator: " ").map { word in
        let parts = word.split(separator: "=")
        return (keyword: String(parts[0]), value: String(parts[1]))
      }
      let script = CentreSchema.script(nodes: [parameters])
      return script.split(separator: "sslmode '").dropFirst().map { String($0.prefix { $0 != "'" }) }
    }
    #expect(modes == [["verify-full"], [], ["verify-ca"]])
  }

  @Test("a script is cut into its statements, and not inside of texts, bodies and remarks")
  func statements() {
    let script = """
      -- First; of all: it's here.
      CREATE TABLE a (b text); INSERT INTO a VALUES ('x;''y'); -- "left; out

      DO $$ BEGIN CREATE ROLE r; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
      SELECT ";" FROM a
      """
    #expect(
      CentreSchema.statements(of: script) == [
        "CREATE TABLE a (b text)", "INSERT INTO a VALUES ('x;''y')",
        "DO $$ BEGIN CREATE ROLE r; EXCEPTION WHEN duplicate_object THEN NULL; END $$", "SELECT \";\" FROM a",
      ])
    #expect(CentreSchema.statements(of: "") == [] && CentreSchema.statements(of: "; ; -- x") == [])
    for script in [CentreSchema.script, CentreSchema.script(nodes: [[("host", "a;b'c")]])] {
      let statements = CentreSchema.statements(of: script)
      #expect(statements.allSatisfy { !$0.contains("--") && !$0.hasSuffix(";") })
      #expect(statements.count { $0.hasPrefix("CREATE TABLE") } == CentreTable.all.count + 3)
      #expect(statements.count { $0.hasPrefix("CREATE VIEW") } == 4)
    }
  }

  @Test("many rows go in few statements, none with too many parameters")
  func insertions() {
    let row = CentreObject.Row(
      table: .tombstone, fields: (0..<CentreTable.tombstone.columns.count).map { Field(Int64($0)) })
    let insertions = Insertion.of(Array(repeating: row, count: 10_000))
    #expect(insertions.map(\.count).reduce(0, +) == 10_000)
    #expect(
      insertions.allSatisfy { $0.fields.count <= Insertion.most && $0.fields.count == $0.count * row.fields.count })
    #expect(insertions.count == 4)
    #expect(Insertion.of([row])[0].statement.hasSuffix("$5::bigint,$6::bigint) ON CONFLICT DO NOTHING"))
  }

  @Test("rows are JSON without loss")
  func json() {
    let row = StoredRow(
      table: "t", columns: ["a", "b\"", "c", "d", "e"],
      values: [.integer(.min), .real(0.1), .text("\u{0}\\\"é\n"), .blob([0, 255]), .null])
    #expect(
      RowText.json(row)
        == #"{"a":-9223372036854775808,"b\"":0.1,"c":"\u0000\\\"é\u000a","d":{"blob":"00ff"},"e":null}"#)
    #expect(RowText.json(.real(1)) == "1.0" && RowText.json(.real(.infinity)) == #"{"real":"inf"}"#)
  }

  @Test("what was written as JSON is read as it was, and nothing else is read")
  func jsonRead() {
    let values: [SQLValue] = [
      .null, .integer(.min), .integer(.max), .real(0.1), .real(1), .real(-0.0), .real(1e300),
      .real(.leastNonzeroMagnitude),
      .real(-.infinity), .text(""), .text("\u{0}\u{1f}\\\"é\n{}"), .blob([]), .blob([0, 255, 16]),
    ]
    for value in values {
      var reader = RowReader(RowText.json(value))
      #expect(reader.wholeValue() == value, "\(value)")
    }
    let row = StoredRow(
      table: "t", columns: values.indices.map { "c\"\($0)" }, values: values)
    let text = RowText.json(row)
    var reader = RowReader(text)
    let read = reader.wholeObject()
    #expect(read?.map(\.name) == row.columns && read?.map(\.value) == row.values)
    for length in 0..<text.utf8.count {
      var reader = RowReader(String(decoding: text.utf8.prefix(length), as: UTF8.self))
      #expect(reader.wholeObject() == nil, "\(length)")
    }
    for bad in ["", "nul", "--1", "1 ", "{\"blob\":\"0\"}", "{\"blob\":\"0g\"}", "[1]", "\"\\x\"", "\"\\u1234\""] {
      var reader = RowReader(bad)
      #expect(reader.wholeValue() == nil, "\(bad)")
    }
  }

  @Test("a configuration says what it has to, and a mistake its line")
  func settings() throws {
    let good = """
      # remark
      [centre]
      user = lab-1
      host = db.example.org
      [persons]
      c0:ff:ee:00:00:01 = p1
      other = p0
      """
    let settings = try Settings(good)
    #expect(settings.user == "lab-1" && settings.persons.wearers == ["C0:FF:EE:00:00:01": "p1"])
    #expect(try Settings("[centre]\nuser = lab-1").persons.other == "lab-1")
    let parameters = settings.connection(password: "secret")
    #expect(
      // Two hours, as the kernel would have it, is no answer to who waits for one.
      parameters.contains { $0 == ("keepalives_idle", "60") } && parameters.contains { $0 == ("keepalives_count", "3") }
    )
    #expect(
      // Of the home folder no file decides.
      ["passfile", "sslcert", "sslkey", "sslcrl"].allSatisfy { name in
        parameters.contains { $0 == (name, "/nonexistent") }
      })
    #expect(
      parameters.contains { $0 == ("sslmode", "verify-full") } && parameters.contains { $0 == ("password", "secret") })
    for (text, words) in [
      ("\(good)\nAda = p2", "line 8"), ("\(good)\nother = Ada Lovelace", "line 8"), ("\(good)\nother", "line 8"),
      ("\(good)\n[centre]\nport = 70000", "line 9"), ("\(good)\n[centre]\npassword = x", "password-file"),
      ("", "'user'"),
      ("[centre]\nuser = a b", "'other'"), ("\(good)\n[devices]\nnames = maybe", "line 9"),
      ("\(good)\n[records]\nforward = all", "line 9"),
    ] {
      #expect { try Settings(text) } throws: { ($0 as? Settings.Mistake)?.message.contains(words) == true }
    }
  }

  @Test("no mistake repeats what the line has: it may be an address or a name, and the message goes into a log")
  func quiet() throws {
    let good = "[centre]\nuser = lab-1\n[persons]\nC0:FF:EE:00:00:01 = p1\n"
    for more in [
      "C0:FF:EE:00:00:01 = p2", "Ada = C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02 = Ada Lovelace", "Ada",
      "[devices]\nC0:FF:EE:00:00:02 = p2", "[Ada]\nC0:FF:EE:00:00:02 = p2", "[centre]\nport = Ada",
      "[devices]\nnames = Ada",
      "[centre]\nuser = Ada", "[records]\nforward = Ada",
    ] {
      #expect { try Settings(good + more) } throws: { error in
        guard let message = (error as? Settings.Mistake)?.message else { return false }
        return message.contains("line ") && !["Ada", "C0:FF:EE:00:00:02", "p1", "p2"].contains { message.contains($0) }
      }
    }
    #expect(try Settings(good).persons.lines == ["C0:FF:EE:00:00:01": 4])
  }

  @Test(
    "lines may end as Windows ends them; what is set twice is refused with both lines, also an address in small letters"
  )
  func lines() throws {
    let text = "[centre]\nuser = lab-1\n[persons]\nC0:FF:EE:00:00:01 = p1\nother = p0\n"
    let settings = try Settings(text)
    for other in [
      text.replacing("\n", with: "\r\n"), "\u{FEFF}\(text)", "\u{FEFF}\(text.replacing("\n", with: "\r\n"))",
    ] {
      #expect(try Settings(other) == settings)
    }
    for (more, words) in [
      ("c0:ff:ee:00:00:01 = p2", "line 6: the same was set in line 4 already"),
      ("C0:FF:EE:00:00:01 = p1", "line 6: the same was set in line 4 already"),
      ("other = p0", "line 6: the same was set in line 5 already"),
      ("[centre]\nuser = lab-2", "line 7: the same was set in line 2 already"), ("x\u{1B}y = 1", "line 6: there is"),
      ("x\ry = 1", "line 6: there is"),
    ] {
      #expect { try Settings(text + more) } throws: { ($0 as? Settings.Mistake)?.message.contains(words) == true }
    }
  }

  @Test("two sides are the same, or it is said what is not")
  func comparison() {
    let ids = (0..<5).map { _ in UUID() }
    var comparison = Comparison()
    let states: [Comparison.State] = [.same, .different, .deleted, .missing, .extra]
    for (id, state) in zip(ids, states) { comparison.add(id, state) }
    #expect(comparison.equal == 1 && comparison.different == [ids[1]] && comparison.extra == [ids[4]])
    #expect(comparison.missing == [ids[3]] && comparison.deleted == 1 && !comparison.isEqual)
    comparison.add(different: [ids[0], ids[4]])
    #expect(comparison.equal == 0 && comparison.different == [ids[1], ids[0]])
    comparison.leaveOut(Set(ids))
    #expect(comparison.isEqual)
  }
}
