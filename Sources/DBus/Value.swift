/// A D-Bus value of any type.
///
/// Arrays keep their element type, so that an empty array is sent as it was received.
/// Source: D-Bus Specification, "Type System".
public enum Value: Hashable, Sendable {
  /// `y`
  case byte(UInt8)
  /// `b`
  case boolean(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`: any Unicode text without U+0000.
  case string(String)
  /// `o`
  case objectPath(ObjectPath)
  /// `g`
  case signature(Signature)
  /// `h`: an open file passed along with the message.
  case descriptor(SharedDescriptor)
  /// `ay`: every array of bytes, copied as a whole.
  case bytes([UInt8])
  /// `a` and a single complete type other than a byte or a dictionary's entry.
  case array([Value], of: Signature)
  /// `a{` key and value `}`
  case dictionary(DictionaryValue)
  /// `(…)`: at least one field.
  case structure([Value])
  /// `v`: a value with its type.
  indirect case variant(Value)
}
