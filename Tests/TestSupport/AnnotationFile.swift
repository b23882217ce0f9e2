import Foundation

/// Beats that were labelled by hand, in the MIT annotation format.
public struct AnnotationFile {
  /// A beat's sample number and its label: 1 normal, 5 ventricular, 8 atrial.
  public struct Annotation: Hashable, Sendable {
    public var sample: Int
    public var label: Int
  }

  /// The beats in order; other annotations are left out.
  public let beats: [Annotation]

  /// Reads 16-bit words: label in the high six bits, samples since the last in the low ten.
  public init(path: String) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    var beats: [Annotation] = []
    var sample = 0
    var index = 0
    while index < words.count, words[index] != 0 {
      let label = words[index] >> 10
      let value = words[index] & 0x3FF
      index += 1
      switch label {
      case 59:  // a longer step: two words, the high one first
        sample += words[index] << 16 | words[index + 1]
        index += 2
      case 60, 61, 62: break
      case 63: index += (value + 1) / 2
      default:
        sample += value
        if (1...13).contains(label) || label == 34 || label == 38 { beats.append(.init(sample: sample, label: label)) }
      }
    }
    self.beats = beats
  }
}
