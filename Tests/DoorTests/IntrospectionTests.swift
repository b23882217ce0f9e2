import RecorderBus
import DBus
import Foundation
import TestSupport
import Testing

/// What other people's programs read out of the door's introspection. Each is asked that the machine has.
@Suite("Introspection by other programs", .timeLimit(.minutes(5)))
struct IntrospectionTests {
  private static let xml = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("systemd/dbus-1/org.sensord.xml")

  /// A method or signal with its arguments, or a property with its type.
  private static let members: Set<String> = {
    var members: Set<String> = []
    func types(_ arguments: [Interface.Argument]) -> String { arguments.map(\.type.text).joined() }
    for interface in ClientInterfaces.ofRoot {
      for method in interface.methods {
        members.insert("\(interface.name).\(method.name) method \(types(method.inputs))/\(types(method.outputs))")
      }
      for signal in interface.signals {
        members.insert("\(interface.name).\(signal.name) signal \(types(signal.arguments))/")
      }
      for property in interface.properties {
        members.insert("\(interface.name).\(property.name) property \(property.type.text)/")
      }
    }
    return members
  }()

  /// What a program prints; nil where the machine does not have it, which is said in one line.
  private static func output(_ program: String, _ arguments: [String]) throws -> String? {
    let output = try OutputFile()
    let errors = try OutputFile()
    guard
      let started = try? StartedProgram(
        program, arguments, output: output.descriptor, errors: errors.descriptor)
    else {
      print("left out: \(program) is not installed")
      return nil
    }
    guard started.wait() == 0 else {
      if errors.text.contains("No module named") {
        print("left out: \(program) has no dbus module")
        return nil
      }
      Issue.record("\(program) failed: \(errors.text)")
      return nil
    }
    return output.text
  }

  @Test("busctl sees every member with its types")
  func busctl() async throws {
    let stage = try await DoorStage()
    let arguments = [
      "--address=\(stage.bus.address)", "introspect", "--no-pager", "--no-legend", "org.sensord", "/org/sensord",
    ]
    if let text = try Self.output("busctl", arguments) {
      var interface = ""
      var seen: Set<String> = []
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        if words[1] == "interface" { interface = words[0] }
        guard words[1] != "interface", interface.hasPrefix("org.sensord.") else { continue }
        let result = words[1] == "method" && words[3] != "-" ? words[3] : ""
        seen.insert("\(interface)\(words[0]) \(words[1]) \(words[2] == "-" ? "" : words[2])/\(result)")
      }
      #expect(seen == Self.members)
    }
    await stage.end()
  }

  @Test("gdbus sees every member with its arguments' names")
  func gdbus() async throws {
    let stage = try await DoorStage()
    let arguments = [
      "introspect", "--address", stage.bus.address, "--dest", "org.sensord", "--object-path", "/org/sensord",
    ]
    if let text = try Self.output("gdbus", arguments) {
      let seen = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      func list(_ arguments: [Interface.Argument], _ direction: String) -> [String] {
        arguments.map { "\(direction)\($0.type) \($0.name)" }
      }
      for interface in ClientInterfaces.ofRoot {
        #expect(seen.contains("interface \(interface.name) {"))
        for method in interface.methods {
          let all = list(method.inputs, "in ") + list(method.outputs, "out ")
          #expect(seen.contains("\(method.name)(\(all.joined(separator: ", ")));"))
        }
        for signal in interface.signals {
          #expect(seen.contains("\(signal.name)(\(list(signal.arguments, "").joined(separator: ", ")));"))
        }
        for property in interface.properties { #expect(seen.contains("readonly \(property.type) \(property.name) = ")) }
      }
    }
    await stage.end()
  }

  @Test("dbus-python sees what is installed, and calls by it")
  func python() async throws {
    let stage = try await DoorStage()
    let script = """
      import sys, dbus
      import xml.etree.ElementTree as xml
      bus = dbus.bus.BusConnection(sys.argv[1])
      door = bus.get_object('org.sensord', '/org/sensord')
      def members(text):
          return {(interface.get('name'), member.tag, member.get('name'), tuple((part.get('name'), part.get('type'), part.get('direction'))
                   for part in member.iter('arg')), member.get('type'))
                  for interface in xml.fromstring(text).findall('interface') for member in interface}
      told = members(door.Introspect(dbus_interface='org.freedesktop.DBus.Introspectable'))
      installed = members(open(sys.argv[2]).read())
      assert told <= installed, told - installed
      print(len(told))
      dbus.Interface(door, 'org.sensord.Live1').Subscribe(['C0:FF:EE:00:00:01'])
      dbus.Interface(door, 'org.sensord.Authorization1').Identify('org.example.Python', {})
      print(dbus.Interface(door, 'org.sensord.Authorization1').Status('heartRate'))
      """
    // The system's own Python has the module where the distribution installed it.
    let python = FileManager.default.fileExists(atPath: "/usr/bin/python3") ? "/usr/bin/python3" : "python3"
    if let text = try Self.output(python, ["-c", script, stage.bus.address, Self.xml.path]) {
      let lines = text.split(separator: "\n")
      #expect(lines.first.flatMap { Int($0) } ?? 0 > Self.members.count)
      #expect(lines.last == "notDetermined")
    }
    await stage.end()
  }
}
