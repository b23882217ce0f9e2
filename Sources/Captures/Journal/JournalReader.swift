import Glibc

/// Reads a journal's folder: every session in it, across segments and boots.
public enum JournalReader {
  /// Reads the segments in `directory` in order. Changes nothing and takes no lock, so it may run beside a recorder.
  ///
  /// - Throws: ``JournalError`` with `cannotRead` where the folder itself cannot be read. A missing folder is empty.
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
