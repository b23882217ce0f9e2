/// Formats of others that are recognized and not read: their names for refusals, and what to do.
package enum UnreadFormat {
  /// The name of the format of a file that begins like this, and the remedy; nil for unknown formats.
  package static func name(beginning: [UInt8]) -> (name: String, remedy: String)? {
    let text = String(decoding: beginning.prefix(4096), as: UTF8.self)
    func has(_ part: String) -> Bool { text.contains(part) }
    if text.hasPrefix("[Params]") || text.hasPrefix("\u{FEFF}[Params]") {
      return ("Polar's HRM", "export it as TCX or FIT: Polar Flow and GoldenCheetah do")
    }
    if has("<sml") || has("suunto/sml") || has("\"DeviceLog\"") {
      return ("Suunto's SML", "export it as FIT, which Suunto's app does")
    }
    if has("<pwx") { return ("TrainingPeaks' PWX", "export it as FIT or TCX: GoldenCheetah does") }
    if has("<kml") { return ("KML", "export it as GPX") }
    if text.hasPrefix("SQLite format 3") {
      return ("a database of SQLite", "import what the program that made it exports")
    }
    if text.hasPrefix("{"), has("\"exercises\"") || has("\"exportVersion\"") {
      return ("Polar Flow's JSON", "export the sessions as FIT or TCX")
    }
    return nil
  }

  /// The same for an archive, by the name of a file in it.
  package static func name(inArchive file: String) -> (name: String, remedy: String)? {
    if file.hasSuffix("health_connect_export.db") {
      return ("Health Connect's export", "export single activities as FIT, TCX or GPX")
    }
    if file.hasPrefix("Takeout/"), file.contains("Google") || file.contains("Fit/") || file.contains("Fitbit") {
      return ("Google Takeout", "import the TCX files of its folder Activities")
    }
    return nil
  }
}
