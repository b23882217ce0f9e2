/// The statements that make the centre's tables, views and rights; run once by the database's administrator.
public enum CentreSchema {
  /// Which of them; `sensord_schema` has the one that a centre was made with.
  public static let version = 2

  /// All of it as a script.
  public static var script: String {
    ([head] + CentreTable.all.map(declaration) + [studies] + indexes + views + [roles] + rights + [tail]).joined(
      separator: "\n\n") + "\n"
  }

  /// The same for a centre whose persons are spread over several servers: for the one that all connect to. Each node has a database
  /// with ``script``; `nodes` are libpq's parameters of each node's database (`host`, `port`, `dbname` …).
  public static func script(nodes: [[(keyword: String, value: String)]]) -> String {
    var parts = [head, nodesRemark, "CREATE EXTENSION IF NOT EXISTS postgres_fdw;"]
    parts += nodes.enumerated().map { index, parameters in
      let options = (secured(parameters) + [("fetch_size", "1000")]).map { "\($0.keyword) \(literal($0.value))" }
      return
        "CREATE SERVER \(server(index)) FOREIGN DATA WRAPPER postgres_fdw OPTIONS (\(options.joined(separator: ", ")));"
    }
    for table in CentreTable.all {
      guard CentreTable.sharded.contains(table) else {
        parts.append(declaration(of: table))
        continue
      }
      // A key of the parent is refused; each node's table has it.
      parts.append("CREATE TABLE \(table.fullName) (\n\(columns(of: table))\n) PARTITION BY HASH (person);")
      parts += nodes.indices.map { index in
        """
        CREATE FOREIGN TABLE \(table.fullName)_\(index) PARTITION OF \(table.fullName)
          FOR VALUES WITH (MODULUS \(nodes.count), REMAINDER \(index))
          SERVER \(server(index)) OPTIONS (table_name \(literal(table.fullName)));
        """
      }
    }
    return (parts + [studies] + views + [roles] + rights + [tail]).joined(separator: "\n\n") + "\n"
  }

  /// Returns the name of a node at the server to which all connect.
  public static func server(_ index: Int) -> String { "\(serverPrefix)\(index)" }

  /// The beginning of the names of all nodes.
  public static let serverPrefix = "sensord_node_"

  /// Whether a node may be called so.
  public static func isServer(_ name: String) -> Bool {
    name.hasPrefix(serverPrefix) && Int(name.dropFirst(serverPrefix.count)).map(server) == name
  }

  /// The statement without which a login reaches a node by nobody's name.
  public static func mapping(of login: String, to server: String) -> String {
    "CREATE USER MAPPING FOR \(quoted(login.replacing("\"", with: "\"\""))) SERVER \(server) "
      + "OPTIONS (user \(literal(login)), password '…');"
  }

  /// Over a network the node's certificate is verified, unless somebody said otherwise.
  private static func secured(_ parameters: [(keyword: String, value: String)]) -> [(keyword: String, value: String)] {
    let isLocal = parameters.contains { $0.keyword == "host" && $0.value.hasPrefix("/") }
    return isLocal || parameters.contains { $0.keyword == "sslmode" }
      ? parameters : parameters + [(keyword: "sslmode", value: "verify-full")]
  }

  private static let nodesRemark = """
    -- This is the server that gateways and researchers connect to. Each node has a database with 'sensord-forward schema', and there
    -- every gateway its login in sensord_gateway, under the same name: what a gateway may write, the node decides. Here it has a mapping:
    --   CREATE USER MAPPING FOR "lab-1" SERVER sensord_node_0 OPTIONS (user 'lab-1', password '…');
    -- A researcher is mapped to a login that is in sensord_administrator on the nodes: what one may read is decided here.
    """

  private static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  private static let head = """
    -- The tables of sensord at the centre, version \(version). For PostgreSQL 15 or later; run it once, as the database's owner:
    --   sensord-forward schema | psql --single-transaction --set ON_ERROR_STOP=1 DATABASE
    -- A gateway is a login in the role sensord_gateway, and is called as the login is; psql asks for its password:
    --   CREATE ROLE "lab-1" LOGIN IN ROLE sensord_gateway;
    --   \\password lab-1
    -- A researcher sees the persons of the studies that sensord_researcher names:
    --   CREATE ROLE "ada" LOGIN IN ROLE sensord_researcher;
    --   INSERT INTO sensord_study VALUES ('sleep', 'p017'); INSERT INTO sensord_researcher VALUES ('ada', 'sleep');
    -- Times are microseconds since 1970-01-01 00:00:00 UTC; the views have them as timestamps, too.

    CREATE TABLE sensord_schema (version integer PRIMARY KEY);
    INSERT INTO sensord_schema VALUES (\(version));
    """

  private static func columns(of table: CentreTable) -> String {
    table.columns.map { column in
      "  \(quoted(column.name)) \(column.kind.rawValue)\(column.isRequired ? " NOT NULL" : "")"
    }.joined(separator: ",\n")
  }

  private static func declaration(of table: CentreTable) -> String {
    let key = "  PRIMARY KEY (\(table.key.map(quoted).joined(separator: ", ")))"
    return "CREATE TABLE \(table.fullName) (\n\(columns(of: table)),\n\(key)\n);"
  }

  private static let studies = """
    CREATE TABLE sensord_study (study text, person text, PRIMARY KEY (study, person));
    CREATE TABLE sensord_researcher (login text, study text, PRIMARY KEY (login, study));
    """

  private static let indexes = [
    """
    -- A deletion names an object, not whose it is and when.
    CREATE INDEX sensord_session_id ON sensord_session (id);
    CREATE INDEX sensord_sample_id ON sensord_sample (id);
    CREATE INDEX sensord_sample_session ON sensord_sample (session);
    CREATE INDEX sensord_association_object ON sensord_association (object);
    -- The same object may be another store's under another identifier.
    CREATE INDEX sensord_sample_sync ON sensord_sample (sync_identifier) WHERE sync_identifier IS NOT NULL;
    """
  ]

  /// Returns the condition that an object was not forgotten, since forgotten objects are hidden. An object that a store has deleted is not
  /// there, unless another line has it still.
  private static func isThere(_ object: String) -> String {
    """
    NOT EXISTS (SELECT 1 FROM sensord_tombstone AS gone
        WHERE gone.gateway = \(object).gateway AND gone.object = \(object).id AND gone.number = \(Int64.max))
    """
  }

  private static func timestamp(_ column: String) -> String {
    "timestamptz 'epoch' + \(column) * interval '1 microsecond'"
  }

  private static let views = [
    """
    CREATE VIEW sensord_sessions WITH (security_invoker = true) AS
    SELECT session.person, session.gateway, session.id, \(timestamp("session.time")) AS start_at,
      \(timestamp("session.until")) AS end_at, session.end_reason, session.coverage_floor, session.coverage_ceiling,
      rates.count AS rates, rates.average, rates.minimum, rates.maximum, beats.count AS beats,
      (SELECT count(*) FROM sensord_gap AS gap WHERE gap.person = session.person AND gap.time = session.time
        AND gap.gateway = session.gateway AND gap.owner = session.id) AS gaps,
      device.manufacturer, device.model, session.time, session.until
    FROM sensord_session AS session
      LEFT JOIN sensord_sample AS rates ON rates.person = session.person AND rates.gateway = session.gateway
        AND rates.session = session.id AND rates.identifier = 'heartRate'
      LEFT JOIN sensord_sample AS beats ON beats.person = session.person AND beats.gateway = session.gateway
        AND beats.session = session.id AND beats.identifier = 'heartbeatSeries'
      LEFT JOIN sensord_device AS device ON device.gateway = session.gateway AND device.store = session.store
        AND device.history = session.history AND device.row = session.device
    WHERE \(isThere("session"));
    """,
    """
    -- Hours of UTC. Of recordings of a person at the same time, for each quarter of an hour the one that covers more; what was
    -- recorded before it or after it in the same quarter counts, too. No quarter is covered for longer than it lasts.
    CREATE VIEW sensord_hourly WITH (security_invoker = true) AS
    WITH recording AS (
      SELECT person, identifier, time, gateway, owner, sum(count)::bigint AS count, sum(sum) AS sum, min(minimum) AS minimum,
        max(maximum) AS maximum, sum(covered)::bigint AS covered, sum(held) AS held,
        int8range(min(start_time), greatest(max(until), min(start_time) + 1)) AS span
      FROM sensord_cell GROUP BY person, identifier, time, gateway, owner
    ), ranked AS (
      SELECT *, range_agg(span) OVER (PARTITION BY person, identifier, time
        ORDER BY covered DESC, count DESC, gateway, owner ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS better
      FROM recording
    ), hour AS (
      SELECT person, identifier, time - ((time % 3600000000) + 3600000000) % 3600000000 AS hour, count, sum, minimum,
        maximum, least(covered, 900000000) AS covered,
        CASE WHEN covered > 900000000 THEN held * 900000000 / covered ELSE held END AS held
      FROM ranked WHERE better IS NULL OR NOT better && span
    )
    SELECT person, identifier, \(timestamp("hour")) AS start_at, sum(count) AS count, sum(sum) / sum(count) AS average,
      sum(held) / nullif(sum(covered), 0) AS held_average, min(minimum) AS minimum, max(maximum) AS maximum,
      sum(covered) / 3600000000.0 AS coverage, hour AS time
    FROM hour GROUP BY person, identifier, hour;
    """,
    """
    -- SDNN and RMSSD in milliseconds, pNN50 in per cent, of sessions and of what other programs measured.
    CREATE VIEW sensord_hrv WITH (security_invoker = true) AS
    SELECT sample.person, sample.gateway, sample.session, sample.identifier, sample.average AS value, type.unit,
      \(timestamp("sample.time")) AS start_at, \(timestamp("sample.until")) AS end_at, sample.time, sample.until
    FROM sensord_sample AS sample JOIN sensord_type AS type ON type.gateway = sample.gateway
      AND type.store = sample.store AND type.history = sample.history AND type.row = sample.type
    WHERE sample.identifier LIKE 'heartRateVariability%' AND \(isThere("sample"));
    """,
    """
    CREATE VIEW sensord_gaps WITH (security_invoker = true) AS
    SELECT gap.person, gap.gateway, gap.owner AS session, gap.reason, gap.detail,
      \(timestamp("gap.start_time")) AS start_at, \(timestamp("gap.until")) AS end_at, gap.lost, gap.start_time, gap.until
    FROM sensord_gap AS gap;
    """,
  ]

  private static let groups = ["sensord_gateway", "sensord_researcher", "sensord_administrator"]

  private static let roles =
    "-- Roles belong to all databases of a server, and may be there.\n"
    + groups.map { role in
      "DO $$ BEGIN CREATE ROLE \(role) NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
    }.joined(separator: "\n")

  /// Which rows of a table a researcher sees; nil of what none does: how far gateways are, and files, which have names in them.
  private static func seen(of table: CentreTable) -> String? {
    func referred(_ column: String, from tables: [CentreTable]) -> String {
      let those = tables.map { "SELECT gateway, store, history, \(column) FROM \($0.fullName)" }
      return "(gateway, store, history, \"row\") IN (\(those.joined(separator: " UNION ALL ")))"
    }
    func named(_ table: CentreTable) -> String {
      """
      EXISTS (SELECT 1 FROM \(table.fullName) AS there
            WHERE there.gateway = \(CentreTable.tombstone.fullName).gateway AND there.id = \(CentreTable.tombstone.fullName).object)
      """
    }
    let ofStudies = """
      person IN (SELECT study.person FROM sensord_study AS study
            JOIN sensord_researcher AS researcher ON researcher.study = study.study WHERE researcher.login = current_user)
      """
    // Rows without a person are seen by way of a sample or a session that is seen.
    switch table {
    case .gateway, .link, .fork, .holder, .attachment: return nil
    case .type: return referred("type", from: [.sample])
    case .source: return referred("source", from: [.sample, .session])
    case .tombstone: return "\(named(.sample)) OR \(named(.session))"
    case .sample:
      let records = CentreObjects.recordTypes.map(literal).joined(separator: ", ")
      return "\(ofStudies)\n      AND identifier NOT IN (\(records))"
    case .opaque:
      let hidden = CentreObjects.hiddenOrigins.map(literal).joined(separator: ", ")
      return "\(ofStudies)\n      AND origin NOT IN (\(hidden))"
    default: return ofStudies
    }
  }

  /// Rights to the lists of studies: an administrator changes them; a researcher sees the own login and the persons of the own studies.
  private static let rightsToStudies = """
    ALTER TABLE sensord_study ENABLE ROW LEVEL SECURITY;
    ALTER TABLE sensord_researcher ENABLE ROW LEVEL SECURITY;
    GRANT SELECT ON sensord_study, sensord_researcher TO sensord_researcher;
    GRANT SELECT, INSERT, UPDATE, DELETE ON sensord_study, sensord_researcher TO sensord_administrator;
    CREATE POLICY administrator ON sensord_study TO sensord_administrator USING (true) WITH CHECK (true);
    CREATE POLICY administrator ON sensord_researcher TO sensord_administrator USING (true) WITH CHECK (true);
    CREATE POLICY researcher ON sensord_researcher FOR SELECT TO sensord_researcher USING (login = current_user);
    CREATE POLICY researcher ON sensord_study FOR SELECT TO sensord_researcher
      USING (study IN (SELECT own.study FROM sensord_researcher AS own WHERE own.login = current_user));
    """

  /// A gateway has its own rows only, a researcher the persons of the studies, an administrator all.
  private static var rights: [String] {
    CentreTable.all.map { table in
      var lines = [
        "ALTER TABLE \(table.fullName) ENABLE ROW LEVEL SECURITY;",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON \(table.fullName) TO sensord_gateway, sensord_administrator;",
        """
        CREATE POLICY gateway ON \(table.fullName) TO sensord_gateway
          USING (gateway = current_user) WITH CHECK (gateway = current_user);
        CREATE POLICY administrator ON \(table.fullName) TO sensord_administrator USING (true) WITH CHECK (true);
        """,
      ]
      if let seen = seen(of: table) {
        lines.append(
          """
          GRANT SELECT ON \(table.fullName) TO sensord_researcher;
          CREATE POLICY researcher ON \(table.fullName) FOR SELECT TO sensord_researcher
            USING (\(seen));
          """)
      }
      return lines.joined(separator: "\n")
    } + [rightsToStudies]
  }

  private static let tail = """
    GRANT SELECT ON sensord_schema TO \(groups.joined(separator: ", "));
    GRANT SELECT ON sensord_sessions, sensord_hourly, sensord_hrv, sensord_gaps TO \(groups.joined(separator: ", "));
    """

  /// A name of a column, as statements have it.
  public static func quoted(_ name: String) -> String { "\"\(name)\"" }
}

extension CentreSchema {
  /// The statements of a script, each by itself, without remarks and semicolons: for programs, whose drivers often take one at a time.
  ///
  /// Texts in quotation marks and between two `$$` are whole; nothing else of the language has to be known for this program's scripts.
  public static func statements(of script: String) -> [String] {
    var statements: [String] = []
    var statement: [Unicode.Scalar] = []
    var rest = Array(script.unicodeScalars)[...]
    func end() {
      while statement.last?.properties.isWhitespace == true { statement.removeLast() }
      let text = String(String.UnicodeScalarView(statement.drop { $0.properties.isWhitespace }))
      if !text.isEmpty { statements.append(text) }
      statement = []
    }
    while let scalar = rest.first {
      switch scalar {
      case "-" where rest.starts(with: "--".unicodeScalars): rest = rest.drop { $0 != "\n" }
      case ";":
        rest = rest.dropFirst()
        end()
      case "'", "\"":
        // A doubled mark ends one text and begins another.
        let inside = rest.dropFirst().prefix { $0 != scalar }
        statement += [scalar] + inside + [scalar]
        rest = rest.dropFirst(inside.count + 2)
      case "$" where rest.starts(with: "$$".unicodeScalars):
        statement += "$$".unicodeScalars
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "$$".unicodeScalars) { statement.append(rest.removeFirst()) }
        statement += "$$".unicodeScalars
        rest = rest.dropFirst(2)
      default: statement.append(rest.removeFirst())
      }
    }
    end()
    return statements
  }
}
