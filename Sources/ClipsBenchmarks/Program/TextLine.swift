import Glibc

/// Text that is out at once, also into a pipe: figures take minutes.
enum TextLine {
    static func print(_ text: String, on descriptor: Int32 = STDOUT_FILENO) {
        var line = text + "\n"
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = write(descriptor, rest.baseAddress, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
