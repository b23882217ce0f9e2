import Glibc
import TestSupport
import Testing

/// Acts of a program that a stranger's file has taken over. `CageProbe` tries them as an ordinary user, each in a process of its own.
@Suite("The cage in which strangers' files are read")
struct CageTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var probe: String { "\(TestPlaces.programs)/CageProbe" }

  /// Runs a program; what it printed, and how it ended.
  private func run(_ program: String, _ arguments: [String]) throws -> (text: String, status: Int32) {
    let output = try OutputFile()
    let started = try StartedProgram(
      program, arguments,
      environment: [
        "PATH": "/usr/bin:/bin", "HOME": folder.path, "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/no-bus",
      ], output: output.descriptor, errors: output.descriptor)
    let status = started.wait()
    return (output.text, status)
  }

  /// The outcome of each act behind a cage with that version of Landlock; -1 is no cage.
  private func outcomes(_ version: Int, _ word: String = "try") throws -> [String: String] {
    let (text, status) = try run(probe, [word, "\(version)"])
    #expect(status == 0, "\(text)")
    let pairs = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0.count == 2 ? $0[1] : "") })
  }

  /// Acts that only Landlock refuses, since no filter of system calls sees a path.
  private static let reading = [
    "read_secret", "read_memory", "read_environment", "list_folder", "open_pipe", "read_in_folder",
  ]

  /// Nobody is harmed by it, and no program does without it.
  private static let harmless = [
    "read_allowed", "write_open_file", "times_of_open_file", "look_at_file", "lock_open_file", "start_thread",
    "own_limit",
  ]

  private static let forbidden = [
    "write_secret", "write_allowed", "write_memory", "make_file", "make_nameless", "empty_by_open", "take_path",
    "remove_file", "rename_file", "link_file", "link_symbolically", "truncate_path", "change_mode",
    "change_mode_of_open", "change_owner", "change_times", "set_attribute", "make_pipe", "make_folder",
    "make_in_folder", "place_in_folder",
    "remove_in_folder", "write_in_folder", "take_into_folder", "take_out_of_folder", "remove_folder",
    "change_folder", "watch_file", "internet_socket", "unix_socket", "unix_pair", "netlink_socket",
    "connect_open_socket", "bind_open_socket", "send_on_open_socket", "execute", "execute_memory", "make_memory_file",
    "start_process", "clone_user_namespace", "unshare_user_namespace", "map_executable", "make_executable", "trace",
    "read_process", "write_process", "open_process", "take_descriptor", "signal_by_handle", "signal_process",
    "signal_thread", "queue_signal", "limits_of_process", "set_own_limit", "priority_of_process",
    "processors_of_process", "shared_memory", "message_queue", "ring", "berkeley_filter", "handle_faults",
    "count_events", "add_key", "control_keys", "mount_file_system", "change_personality", "dump_core",
    "own_descriptor", "type_into_terminal",
  ]

  /// Acts that an ordinary user may not do anyway, here or on a machine that is set up otherwise: that the filter refuses it as well cannot be
  /// seen by its success without one.
  private static let oftenRefused: Set = [
    "send_on_open_socket", "clone_user_namespace", "unshare_user_namespace", "ring", "berkeley_filter", "handle_faults",
    "count_events", "mount_file_system", "type_into_terminal", "set_attribute", "trace", "read_process",
    "write_process",
    "take_descriptor", "read_memory", "write_memory", "add_key", "control_keys", "change_personality",
  ]

  @Test("without a cage an ordinary user can do what the cage forbids, so that these trials prove something")
  func free() throws {
    let outcomes = try outcomes(-1)
    for act in Self.reading + Self.forbidden + Self.harmless where !Self.oftenRefused.contains(act) {
      #expect(outcomes[act] == "done", "\(act)")
    }
    #expect(outcomes.count == Self.reading.count + Self.forbidden.count + Self.harmless.count + 2)
  }

  @Test("each version of Landlock refuses to read other files, the filter all that writes, talks, starts or signals")
  func withLandlock() throws {
    let newest = try Self.landlock(outcomes(Int(Int32.max)))
    guard newest else { return }
    for version in 1...7 {
      let outcomes = try outcomes(version)
      for act in Self.reading { #expect(outcomes[act] == "EACCES", "\(act) with version \(version)") }
      Self.expectFilter(outcomes)
    }
  }

  @Test("without Landlock files of the user can be read, and nothing else")
  func withoutLandlock() throws {
    let outcomes = try outcomes(0)
    for act in Self.reading where !Self.oftenRefused.contains(act) { #expect(outcomes[act] == "done", "\(act)") }
    Self.expectFilter(outcomes)
  }

  /// Acts of an export into a folder, there.
  private static let making = ["make_in_folder", "place_in_folder", "remove_in_folder", "change_mode_of_open"]

  /// The same elsewhere, which only Landlock refuses.
  private static let makingElsewhere = [
    "make_file", "remove_file", "rename_file", "take_into_folder", "take_out_of_folder",
  ]

  @Test("an export into a folder can make and replace files there, and with Landlock nowhere else")
  func making() throws {
    for version in try Self.landlock(outcomes(Int(Int32.max))) ? [0, 1, 2, 7] : [0] {
      let outcomes = try outcomes(version, "make")
      for act in Self.making { #expect(outcomes[act] == "done", "\(act) with version \(version)") }
      for act in Self.makingElsewhere {
        #expect(outcomes[act] == (version > 0 ? "EACCES" : "done"), "\(act) with version \(version)")
      }
      Self.expectFilter(outcomes, but: Self.making + Self.makingElsewhere)
    }
  }

  /// Whether this kernel has it: else no cage could be made with its first version.
  private static func landlock(_ outcomes: [String: String]) -> Bool { outcomes["read_secret"] != "done" }

  private static func expectFilter(_ outcomes: [String: String], but allowed: [String] = []) {
    for act in forbidden where !allowed.contains(act) { #expect(outcomes[act] == "EPERM", "\(act)") }
    for act in harmless { #expect(outcomes[act] == "done", "\(act)") }
    // The C library starts a thread in the older way then, whose flags the filter sees.
    #expect(outcomes["new_clone"] == "ENOSYS")
    // A thread that lives already would not be bound.
    #expect(outcomes["threads"] == "EBUSY")
  }

  private func recorded() throws -> String {
    let capture = "\(TestPlaces.root)/Tests/CapturesTests/Fixtures/strap-lost-link.capture"
    #expect(try sensord.run("replay", capture, "--store", folder.store).status == 0)
    return "\(folder.path)/out.fit"
  }

  @Test("an import and an export do the same where the kernel has no Landlock, and the doctor says what that means")
  func bare() throws {
    let file = try recorded()
    let program = "\(TestPlaces.programs)/sensord"
    let made = try run(
      probe, ["bare", program, "export", "last", "--format", "fit", "--store", folder.store, "-o", file])
    #expect(made.status == 0, "\(made.text)")
    let other = "\(folder.path)/other.sqlite"
    let stored = try run(probe, ["bare", program, "import", "--store", other, file])
    #expect(stored.status == 0 && stored.text.contains("fd81d2e6 stored: 149 rates"), "\(stored.text)")
    let doctor = try run(probe, ["bare", program, "doctor", "--store", other])
    #expect(doctor.text.contains("imports         only in part: this kernel has no Landlock"), "\(doctor.text)")
    let here = try run(program, ["doctor", "--store", other])
    #expect(here.text.contains("imports         "), "\(here.text)")
    #expect(here.text.contains("no Landlock") != here.text.contains("confined to what was named (Landlock "))
  }

  @Test("files of the shell come in behind the cage: /dev/stdin, a process's output, and one through a link")
  func descriptors() throws {
    let file = try recorded()
    #expect(try sensord.run("export", "last", "--format", "fit", "--store", folder.store, "-o", file).status == 0)
    let program = "'\(TestPlaces.programs)/sensord' import --dry-run --store other.sqlite"
    for command in [
      "\(program) /dev/stdin <out.fit", "cat out.fit | \(program) /dev/stdin", "\(program) <(cat out.fit)",
      "ln -s out.fit link.fit; \(program) link.fit", "mkdir in; cp out.fit in; cd in; \(program) ../in/./out.fit",
    ] {
      let (text, status) = try run("/bin/bash", ["-c", "cd '\(folder.path)'; \(command)"])
      #expect(status == 0 && text.contains("fd81d2e6 would be stored: 149 rates"), "\(command): \(text)")
    }
  }

  @Test("an export that fails leaves neither its output nor a folder behind, and one that succeeds nothing beside it")
  func outputs() throws {
    let file = try recorded()
    let before = folder.names
    let place = "\(folder.path)/a/b"
    for arguments in [
      ["export", "0000", "--format", "fit", "-o", file],
      ["export", "0000", "--format", "wfdb", "-o", "\(folder.path)/w"],
      ["export", "--from", "2040-01-01T00:00:00Z", "--format", "fit", "-o", place],
      ["export", "--from", "2040-01-01T00:00:00Z", "--format", "hrvlogger", "-o", file],
      ["export", "last", "--into", "/etc/hostname", "-o", file],
      ["import", "/etc/hostname", "--store", "\(place)/s.sqlite"],
    ] {
      let store = arguments.contains("--store") ? [] : ["--store", folder.store]
      let outcome = try sensord.run(arguments + store)
      #expect(outcome.status != 0, "\(arguments)")
      #expect(folder.names == before, "\(arguments): \(outcome.errors)")
    }
    for arguments in [
      ["export", "last", "--format", "fit", "-o", file],
      ["export", "last", "--format", "wfdb", "-o", "\(folder.path)/w"],
      ["export", "--from", "2000-01-01T00:00:00Z", "--format", "fit", "-o", place],
    ] {
      let outcome = try sensord.run(arguments + ["--store", folder.store])
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
    }
    #expect(folder.names == (before + ["a", "out.fit", "w.atr", "w.hea"]).sorted())
    #expect(TemporaryFolder.names(place).count == 1)
  }

  @Test("an import that waits for its first byte is in the cage, with a new store that goes when it is killed")
  func killed() throws {
    let pipe = "\(folder.path)/pipe"
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    // Somebody writes into it, but nothing yet.
    let writer = unsafe open(pipe, O_RDWR)
    defer { close(writer) }
    #expect(unsafe write(writer, "1", 1) == 1)
    let place = "\(folder.path)/place"
    let output = try OutputFile()
    let program = try StartedProgram(
      "\(TestPlaces.programs)/sensord-interchange", ["import", "--store", "\(place)/s.sqlite", pipe],
      environment: ["HOME": folder.path], output: output.descriptor, errors: output.descriptor)
    while !status(of: program).contains("Seccomp:\t2\n"), program.status == nil { sched_yield() }
    #expect(status(of: program).contains("NoNewPrivs:\t1\n"), "\(output.text)")
    #expect(TemporaryFolder.names(place) == ["s.sqlite", "s.sqlite-shm", "s.sqlite-wal"])
    program.send(SIGKILL)
    #expect(program.wait() == -SIGKILL)
    // Another process removes it, which ends by itself.
    while unsafe access(place, F_OK) == 0 { sched_yield() }
    #expect(folder.names == ["pipe"])
  }

  private func status(of program: StartedProgram) -> String {
    guard let file = unsafe fopen("\(program.folder)/status", "r") else { return "" }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
