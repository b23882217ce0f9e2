internal import Documents
internal import StoreCommands

/// The rules for a name that a person gives to a sensor.
enum SensorName {
  /// `text` without blanks around it, where it can be shown as it is and is no longer than a Bluetooth name.
  static func checked(_ text: String) throws(CommandFailure) -> String {
    let name = String(ConfigurationSyntax.trimmed(text[...]))
    guard !name.isEmpty, name.utf8.count <= 248, name.unicodeScalars.allSatisfy(PrintableText.isSafe) else {
      throw CommandFailure(.usage, "a sensor's name has 1 to 248 bytes and no control or invisible characters")
    }
    return name
  }
}
