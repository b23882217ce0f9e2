import Bits
import Glibc
import HealthModel

/// A file on its way into the folder: complete and on the disk under a temporary name, which goes unless it was published.
package final class AttachmentDraft: Sendable {
  private let folder: AttachmentFolder
  private let place: Descriptor
  private let name: String
  private let file: Descriptor
  let size: Int
  let digest: String
  let contentType: AttachmentContentType

  /// Copies everything that `source` has left, piece by piece, and judges it. Where nothing comes for `patience` (milliseconds) it
  /// cannot be read.
  init(_ folder: AttachmentFolder, from source: Int32, patience: Int32?) throws(StoreError) {
    let place = try folder.openMaking()
    let (name, file) = try folder.makeDraft(in: place)
    do throws(StoreError) {
      let (size, digest) = try Self.copy(source, patience, to: file, folder.path)
      let type = try Self.judge(file, size: size, folder.path)
      try file.sync(folder.path)
      (self.folder, self.place, self.name, self.file) = (folder, place, name, file)
      (self.size, self.digest, contentType) = (size, digest, type)
    } catch {
      folder.remove(name, in: place)
      throw error
    }
  }

  deinit {
    // Fails where it was published.
    folder.remove(name, in: place)
  }

  private static func copy(
    _ source: Int32, _ patience: Int32?, to file: Descriptor, _ path: String
  ) throws(StoreError) -> (size: Int, digest: String) {
    var hash = SHA256()
    var size = 0
    var head: [UInt8] = []
    var isJudged = false
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try Descriptor.read(from: source, into: &buffer, patience)
      if !isJudged {
        head += buffer.prefix(min(count, AttachmentForm.headLength - head.count))
        isJudged = count == 0 || head.count == AttachmentForm.headLength
        // What is nothing that could be attached is not copied to its end.
        if isJudged, !head.isEmpty {
          try judged { () throws(AttachmentError) in _ = try AttachmentForm.beginning(head) }
        }
      }
      if count == 0 { break }
      size += count
      guard size <= Attachment.largest else { throw StoreError(AttachmentError.tooLarge) }
      hash.add(buffer.prefix(count))
      try file.write(buffer.prefix(count), path)
    }
    return (size, Hexadecimal.text(hash.digest()))
  }

  private static func judged<Result>(_ body: () throws(AttachmentError) -> Result) throws(StoreError) -> Result {
    do throws(AttachmentError) {
      return try body()
    } catch {
      throw StoreError(error)
    }
  }

  private static func judge(
    _ file: Descriptor, size: Int, _ path: String
  ) throws(StoreError) -> AttachmentContentType {
    let number = file.number
    var failure: StoreError?
    let type = try judged { () throws(AttachmentError) in
      try AttachmentForm.type(size: size) { (offset, count) throws(AttachmentError) in
        var buffer = [UInt8](repeating: 0, count: count)
        var found = 0
        while found < count {
          let more = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe pread(number, bytes.baseAddress.map { unsafe $0 + found }, count - found, off_t(offset + found))
          }
          guard more >= 0 || errno == EINTR else {
            failure = .attachments(path, errno)
            return []
          }
          if more == 0 { break }
          found += max(0, more)
        }
        buffer.removeLast(count - found)
        return buffer
      }
    }
    if let failure { throw failure }
    return type
  }

  /// Gives it its name, over a file that has it already: both have the same bytes. It is on the disk when this returns.
  func publish() throws(StoreError) {
    guard unsafe renameat(place.number, name, place.number, folder.name(ofFile: digest)) == 0 else {
      throw .attachments(folder.path, errno)
    }
    try place.sync(folder.path)
  }
}
