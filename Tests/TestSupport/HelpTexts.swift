import Foundation

/// The help of a program's commands, as the program itself says which it has.
public enum HelpTexts {
  /// A command's words and what `--help` prints of it; the first is the program's own.
  public struct Text: Sendable {
    public let command: [String]
    public let text: String

    /// Lines that a terminal of 80 columns breaks.
    public var longLines: [Substring] { text.split(separator: "\n").filter { $0.count > 80 } }
  }

  /// Asks the built program at `path`; commands that it hides are left out.
  ///
  /// - Throws: ``StartedProgram/Failure``.
  public static func of(_ path: String) throws -> [Text] {
    let dump = try JSONSerialization.jsonObject(with: Data(try print(path, ["--experimental-dump-help"]).utf8))
    guard let command = (dump as? [String: Any])?["command"] as? [String: Any] else {
      throw StartedProgram.Failure(description: "\(path) does not say which commands it has")
    }
    return try texts(of: command, [], path)
  }

  private static func texts(of command: [String: Any], _ words: [String], _ path: String) throws -> [Text] {
    let own = [Text(command: words, text: try print(path, words + ["--help"]))]
    let commands = command["subcommands"] as? [[String: Any]] ?? []
    return try commands.reduce(into: own) { texts, command in
      // The parser's own has no help of its own.
      guard let name = command["commandName"] as? String, name != "help", command["shouldDisplay"] as? Bool != false
      else { return }
      texts += try Self.texts(of: command, words + [name], path)
    }
  }

  private static func print(_ path: String, _ words: [String]) throws -> String {
    let (output, errors) = (try OutputFile(), try OutputFile())
    let program = try StartedProgram(path, words, output: output.descriptor, errors: errors.descriptor)
    guard program.wait() == 0, errors.text.isEmpty else {
      throw StartedProgram.Failure(description: "\(path) \(words): \(errors.text)")
    }
    return output.text
  }
}
