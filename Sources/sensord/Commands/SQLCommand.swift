internal import Documents
internal import Recordings
internal import ArgumentParser
internal import SeriesStore
internal import StoreCommands

/// `sensord sql QUERY`: any question to the store, with the unpacked values as tables.
struct SQLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql", abstract: "Ask the store anything in SQL; nothing can be changed.",
    usage: "sensord sql <query> [--csv | --json] [--store <file>]",
    discussion: """
      Tables of unpacked values beside the file's own tables and views:

      rates       time,bpm,contact,energy_kj,time_us,session,sample
      beats       time,run,index,rr_ticks,rr_ms,preceded_by_gap,flags,time_us,
                  session,sample
      quantities  time,end,value,unit,type,source,device,time_us,end_us,
                  session,sample
      locations   time,latitude,longitude,altitude,horizontal_accuracy,
                  vertical_accuracy,speed,course,time_us,session,sample

      'WHERE session = …' unpacks that session only; session_list names them, by
      32 digits without hyphens. Of columns called alike JSON numbers the later ones.
      Rows come as they are found; a table is as wide as its first 1000 need.

        sensord sql "SELECT id, start, beats FROM session_list"
        sensord sql "SELECT max(rr_ms) FROM beats WHERE flags = ''"
      """)

  @Argument(help: "One SELECT statement, as SQLite understands it.")
  var query: String

  @Flag(help: "Print the rows as CSV.")
  var csv = false

  @Flag(help: "Print the rows as JSON.")
  var json = false

  @OptionGroup var store: StoreOptions

  mutating func validate() throws {
    guard !csv || !json else { throw ValidationError("--csv and --json exclude each other") }
  }

  mutating func run() throws {
    let location = try store.location()
    let sql = try ReadOnlySQL(location.path)
    try SQLOutput.write(try sql.rows(of: query), as: json ? .json : csv ? .csv : .table)
  }
}
