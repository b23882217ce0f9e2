import ArgumentParser
import Testing

@testable import Simulator

@Suite("The simulator's command line")
struct SimulatorCommandTests {
  private func refusal(_ arguments: [String]) -> String? {
    do {
      _ = try SimulatorCommand.parse(arguments)
      return nil
    } catch {
      #expect(SimulatorCommand.exitCode(for: error) == .validationFailure)
      return SimulatorCommand.message(for: error)
    }
  }

  @Test("options take their value after a space or an equals sign")
  func values() throws {
    let options = try SimulatorCommand.parse([
      "--bus", "unix:path=/x", "--strap=H10 of A@c0:ff:ee:00:00:01", "--strap", "B@C0:FF:EE:00:00:02", "--seed=7",
      "--speed", "20", "--log", "l", "--control=c",
    ])
    #expect(options.bus == "unix:path=/x")
    #expect(options.straps.map(\.name) == ["H10 of A", "B"])
    #expect(options.straps.map(\.address) == ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"])
    #expect(options.straps.allSatisfy { $0.source == .heart })
    #expect(options.seed == 7 && options.speed == 20 && options.log == "l" && options.control == "c")
  }

  @Test("help fits 80 columns")
  func help() {
    let help = SimulatorCommand.helpMessage(columns: 80)
    #expect(help.contains("--control <path>"))
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test(
    "what is missing or wrong is named",
    arguments: [
      ([], "--bus"), (["--bus"], "Missing value for '--bus <address>'"), (["--bus", "x"], "--scenario or --strap"),
      (["--bus", "x", "--scenario", "f", "--strap", "A@C0:FF:EE:00:00:01"], "not both"),
      (["--bus", "x", "--strap", "A"], "NAME@ADDRESS"),
      (["--bus", "x", "--strap", "@C0:FF:EE:00:00:01"], "NAME@ADDRESS"),
      (["--bus", "x", "--seed", "-1"], "--seed"), (["--bus", "x", "--speed", "0"], "--speed"),
      (["--bus", "x", "--speed", "nan"], "--speed"),
      (["--bus", "x", "--scenario", "f", "--frobnicate"], "--frobnicate"),
      (["--bus", "x", "--strap", "A@C0:FF:EE:00:00:01", "--strap", "B@C0:FF:EE:00:00:01"], "same address"),
    ])
  func refusals(arguments: [String], reason: String) throws {
    let refusal = try #require(self.refusal(arguments))
    #expect(refusal.contains(reason), "\(refusal)")
  }
}
