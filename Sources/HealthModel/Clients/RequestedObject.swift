package import FoundationEssentials

/// A sample that a client asks to read, as the owner is shown it.
package struct RequestedObject: Hashable, Sendable {
  /// The identifier of the sample.
  package var id: UUID
  /// When it starts; a prescription, when it was issued. Nil where that is not told.
  package var start: Timestamp?
  /// The identifier of the program that saved it. Hostile text. Nil where that is not told.
  package var source: String?
  /// What a clinical record is called. Hostile text. Nil for other samples, and where it is not told.
  package var title: String?

  /// A sample with the given parts.
  package init(id: UUID, start: Timestamp?, source: String?, title: String? = nil) {
    self.id = id
    self.start = start
    self.source = source
    self.title = title
  }

  /// What an owner has to know of a sample to choose it.
  package init(_ sample: HealthSample, title: String?) {
    self.init(id: sample.id, start: sample.start, source: sample.source.identifier, title: title)
  }
}

/// The samples of one type that a client asks for.
package struct RequestedObjects: Hashable, Sendable {
  /// The identifier of the type.
  package var type: String
  /// What matched when it asked. There may be none: the owner is asked all the same, or the client learned that there is none.
  package var objects: [RequestedObject]

  /// Samples with the given parts.
  package init(type: String, objects: [RequestedObject]) {
    self.type = type
    self.objects = objects
  }
}
