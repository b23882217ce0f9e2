import Glibc

/// Reads all sessions in a journal's folder, across segments and boots.
public enum JournalReader {
  /// Reads the segments in `directory` in order. It changes nothing and takes no lock, so a recorder may run meanwhile.
  ///
  /// - Throws: ``JournalError`` with `cannotRead` if the folder itself cannot be read. A missing folder is empty.
  public static func read(directory: String) throws(JournalError) -> JournalContents {
    do {
      return try JournalScan(Directory(path: directory)).contents
    } catch {
      guard error.number != ENOENT else {
        return JournalContents(sessions: [], damages: [], damageCount: 0, foreignFiles: [])
      }
      throw JournalError(.cannotRead, errorNumber: error.number, path: directory)
    }
  }
}
