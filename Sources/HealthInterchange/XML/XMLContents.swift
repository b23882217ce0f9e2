/// What an XML file means: it is told of elements and texts as they come. Names have no prefix.
protocol XMLContents: AnyObject {
  func begin(_ name: String, attribute: (String) -> String?)
  func end(_ name: String)
  /// A part of a text.
  func text(_ bytes: [UInt8])
}
