/// The tables of the store's file; Documentation/store-format.md explains each column to a stranger.
enum Schema {
  /// Marks the file as ours: "sens" in ASCII.
  static let applicationIdentifier: Int64 = 0x7365_6E73
  /// The newest layout, kept in SQLite's `user_version`.
  static let version = Int64(migrations.count + 1)

  /// What brings a file of each earlier layout to the next one: the first from layout 1 to 2. There is one layout yet.
  ///
  /// A layout that was released is never changed: a new one gets a step here, and its fixture among the tests. Until a
  /// writer has taken the steps readers have the older layout before them, so steps only add what readers can do without.
  static let migrations: [String] = []

  /// What must be set before the first table is made.
  ///
  /// Pages of 16 KiB, because chunks of about 4 KB waste most of the overflow pages of smaller ones.
  static let preparation = """
    PRAGMA page_size = 16384;
    PRAGMA auto_vacuum = NONE;
    """

  /// Everything of the newest layout, for an empty file.
  static let creation = """
    CREATE TABLE source (
      id INTEGER PRIMARY KEY, identifier TEXT NOT NULL, name TEXT NOT NULL, version TEXT, product_type TEXT,
      operating_system_version TEXT);
    CREATE TABLE device (
      id INTEGER PRIMARY KEY, name TEXT, manufacturer TEXT, model TEXT, hardware_version TEXT, firmware_version TEXT,
      software_version TEXT, local_identifier TEXT, unique_device_identifier TEXT);
    CREATE TABLE sensor (address TEXT PRIMARY KEY, name TEXT, added INTEGER NOT NULL);
    CREATE TABLE change (
      number INTEGER PRIMARY KEY, uuid BLOB NOT NULL, object INTEGER NOT NULL, deleted INTEGER NOT NULL,
      time INTEGER NOT NULL);
    CREATE INDEX change_deleted ON change (uuid) WHERE deleted;
    CREATE TABLE session (
      id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, sync_version INTEGER NOT NULL, change INTEGER NOT NULL,
      source INTEGER NOT NULL, device INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
      end_reason TEXT NOT NULL, coverage_floor REAL, coverage_ceiling REAL, sdnn REAL, rmssd REAL, pnn50 REAL);
    CREATE INDEX session_start ON session (start);
    CREATE TABLE gap (
      session INTEGER NOT NULL, ordinal INTEGER NOT NULL, reason TEXT NOT NULL, detail TEXT, start INTEGER NOT NULL,
      end INTEGER NOT NULL, lost REAL, PRIMARY KEY (session, ordinal)) WITHOUT ROWID;
    CREATE TABLE type (
      id INTEGER PRIMARY KEY, identifier TEXT NOT NULL, unit TEXT NOT NULL, style TEXT NOT NULL,
      style_version INTEGER NOT NULL);
    CREATE TABLE sample (
      id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, type INTEGER NOT NULL, change INTEGER NOT NULL,
      session INTEGER, source INTEGER NOT NULL, device INTEGER, start INTEGER NOT NULL, end INTEGER NOT NULL,
      count INTEGER NOT NULL, sum REAL, average REAL, minimum REAL, maximum REAL, most_recent REAL,
      most_recent_start INTEGER, most_recent_end INTEGER, duration INTEGER, timescale INTEGER, gaps INTEGER,
      sync_identifier TEXT, sync_version INTEGER);
    CREATE INDEX sample_type_start ON sample (type, start, end);
    CREATE INDEX sample_session ON sample (session) WHERE session IS NOT NULL;
    CREATE UNIQUE INDEX sample_sync ON sample (sync_identifier, source) WHERE sync_identifier IS NOT NULL;
    CREATE TABLE run (
      sample INTEGER NOT NULL, ordinal INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
      first_tick INTEGER NOT NULL, anchor INTEGER NOT NULL, slope INTEGER NOT NULL, uncertainty INTEGER NOT NULL,
      start INTEGER NOT NULL, end INTEGER NOT NULL, PRIMARY KEY (sample, ordinal)) WITHOUT ROWID;
    CREATE TABLE chunk (id INTEGER PRIMARY KEY, payload BLOB NOT NULL);
    CREATE TABLE summary (
      id INTEGER PRIMARY KEY, start INTEGER NOT NULL, end INTEGER NOT NULL, count INTEGER NOT NULL, sum REAL NOT NULL,
      minimum REAL NOT NULL, maximum REAL NOT NULL, cells BLOB NOT NULL);
    CREATE TABLE metadata (
      owner INTEGER NOT NULL, kind INTEGER NOT NULL, key TEXT NOT NULL, form INTEGER NOT NULL, value, unit TEXT,
      PRIMARY KEY (owner, kind, key)) WITHOUT ROWID;
    """

  /// What other programs may rely on: names and columns of views stay, whatever becomes of the tables.
  ///
  /// Times are cut to milliseconds as everywhere; strftime alone would round them. The statements stand in the file word
  /// for word, by which those of an earlier program are known.
  static let views: [(name: String, statement: String)] = [
    (
      "session_list",
      """
      CREATE VIEW session_list AS
        SELECT lower(hex(session.uuid)) AS id, device.name AS device_name, device.local_identifier AS device_address,
          strftime('%Y-%m-%dT%H:%M:%fZ', session.start / 1000 / 1000.0, 'unixepoch') AS start,
          strftime('%Y-%m-%dT%H:%M:%fZ', session.end / 1000 / 1000.0, 'unixepoch') AS end,
          session.end_reason, rate.count AS rates, rate.average, rate.minimum, rate.maximum, rate.most_recent,
          beat.count AS beats, (SELECT count(*) FROM gap WHERE gap.session = session.id) AS gaps,
          session.coverage_floor, session.coverage_ceiling,
          session.sdnn AS sdnn_ms, session.rmssd AS rmssd_ms, session.pnn50 AS pnn50_percent,
          session.start AS start_us, session.end AS end_us
        FROM session JOIN device ON device.id = session.device
          LEFT JOIN sample AS rate ON rate.session = session.id
            AND rate.type IN (SELECT id FROM type WHERE identifier = 'heartRate')
          LEFT JOIN sample AS beat ON beat.session = session.id
            AND beat.type IN (SELECT id FROM type WHERE identifier = 'heartbeatSeries')
      """
    ),
    (
      "sample_list",
      """
      CREATE VIEW sample_list AS
        SELECT lower(hex(sample.uuid)) AS id, type.identifier AS type, type.unit, source.identifier AS source,
          device.name AS device_name, device.local_identifier AS device_address,
          strftime('%Y-%m-%dT%H:%M:%fZ', sample.start / 1000 / 1000.0, 'unixepoch') AS start,
          strftime('%Y-%m-%dT%H:%M:%fZ', sample.end / 1000 / 1000.0, 'unixepoch') AS end,
          sample.count, sample.sum, sample.average, sample.minimum, sample.maximum, sample.most_recent,
          lower(hex(session.uuid)) AS session, sample.start AS start_us, sample.end AS end_us
        FROM sample JOIN type ON type.id = sample.type JOIN source ON source.id = sample.source
          LEFT JOIN device ON device.id = sample.device LEFT JOIN session ON session.id = sample.session
      """
    ),
    (
      "hour_list",
      """
      CREATE VIEW hour_list AS
        SELECT lower(hex(sample.uuid)) AS sample, type.identifier AS type, summary.count, summary.sum, summary.minimum,
          summary.maximum, summary.start AS start_us, summary.end AS end_us
        FROM summary JOIN sample ON sample.id = summary.id >> 20 JOIN type ON type.id = sample.type
      """
    ),
  ]
}
