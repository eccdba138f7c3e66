/// An error after some batches were saved: its sentence must not say that nothing was.
package struct PartialSave: Error, CustomStringConvertible {
    package let description: String

    package init(_ error: any Error, saved: Int) {
        let sentence = "\(error)"
        guard saved > 0, let range = sentence.firstRange(of: "Nothing was saved") else {
            description = sentence
            return
        }
        description =
            sentence[..<range.lowerBound] + "Nothing more was saved" + sentence[range.upperBound...]
    }
}
