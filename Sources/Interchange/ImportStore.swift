internal import Glibc
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// The store of an import, which is open before a stranger's byte is read; that it cannot be opened is an error of the first session.
///
/// One that is missing is made, and removed again where nothing came in: a bad file leaves no empty store behind.
struct ImportStore: Sendable {
  private let opening: Result<(location: StoreLocation, store: HealthStore?), any Error>
  /// Removes a store that was made for nothing.
  private let companion: Companion?

  init(_ options: StoreOptions, isDry: Bool, _ cage: inout Cage) throws(CommandFailure) {
    var made = MadeStore()
    do {
      let location = try options.location()
      cage.allowReading(location.journal)
      if !isDry { made = MadeStore(at: location) }
      let store = try isDry ? options.openIfThere(atRest: true) : options.openToWrite(making: true, atRest: true)
      opening = .success((location, store))
    } catch {
      opening = .failure(error)
    }
    guard case .success = opening, made.isMissing else {
      companion = nil
      made.folders.remove()
      return
    }
    made.remember()
    companion = try Companion({ 0 }, otherwise: made.remove)
  }

  /// Starts the store's thread; to be called once, in the cage.
  func start() throws { try (try? opening.get())?.store?.start() }

  /// The store, to be written or only to be read; nil where there is no store and a dry run makes none.
  func opened() throws -> HealthStore? { try opening.get().store }

  /// The recordings of the store and its journal.
  func catalogue() throws -> SessionCatalogue {
    let (location, store) = try opening.get()
    return SessionCatalogue(location, store: store, version: ProgramVersion.current)
  }

  /// Keeps a store that was made: something goes into it. To be called once.
  func keep() { _ = companion?.act() }

  /// Removes a store that was made in vain.
  func end() { companion?.end() }
}

/// A store that was missing, and what had to be made for it.
private struct MadeStore {
  private var path = ""
  private(set) var folders = MadeFolders()
  private(set) var isMissing = false
  private var status = stat()

  init() {}

  init(at location: StoreLocation) {
    path = location.path
    isMissing = !FileAccess.exists(path)
    folders = MadeFolders(at: location.directory)
  }

  /// Looks at the file as it was made.
  mutating func remember() { _ = unsafe stat(path, &status) }

  /// Removes it, unless another program has written into it, which sets its times.
  func remove() {
    var (now, log) = (stat(), stat())
    guard unsafe stat(path, &now) == 0, now.st_ino == status.st_ino, now.st_mtim.tv_sec == status.st_mtim.tv_sec,
      now.st_mtim.tv_nsec == status.st_mtim.tv_nsec, unsafe stat("\(path)-wal", &log) != 0 || log.st_size == 0
    else { return }
    for ending in ["", "-wal", "-shm"] { unsafe unlink(path + ending) }
    folders.remove()
  }
}

/// The folders that are missing on the way to a place, and are made with it.
struct MadeFolders {
  private var paths: [String] = []

  init() {}

  init(at path: String) {
    var path = path
    while !FileAccess.exists(path), path != "/", path != "." {
      paths.append(path)
      path = FileAccess.directory(of: path)
    }
  }

  var isEmpty: Bool { paths.isEmpty }

  /// Removes those that were made, as far as they are empty.
  func remove() { for path in paths { unsafe rmdir(path) } }
}
