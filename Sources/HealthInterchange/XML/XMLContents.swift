/// What an XML file means: it is told of elements and texts as they come. Names have no prefix.
protocol XMLContents: AnyObject {
  /// Whether it wants to be told of texts.
  static var hasTexts: Bool { get }
  /// Whether elements that need no parser may come without it, quicker: for contents that want no texts, and do not ask in which line
  /// an element is.
  static var takesPlainElements: Bool { get }
  func begin(_ element: XMLElement)
  func end(_ name: String)
  /// A processing instruction.
  func instruction(_ target: String, _ data: String)
  /// A part of a text.
  func text(_ bytes: [UInt8])
}

extension XMLContents {
  static var hasTexts: Bool { true }
  static var takesPlainElements: Bool { false }
  func instruction(_ target: String, _ data: String) {}
  func text(_ bytes: [UInt8]) {}
}
