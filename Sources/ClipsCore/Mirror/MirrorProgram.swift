import Platform

/// The program `clips-mirror`, which alone requires the libraries of a server and of encryption.
package enum MirrorProgram {
    package static let name = "clips-mirror"

    /// The path of the program, next to this one or in `PATH`; nil if it is not installed.
    package static var path: String? {
        let neighbor = FilePath.folder(of: FilePath.resolved("/proc/self/exe")) + "/" + name
        if FilePath.exists(neighbor) { return neighbor }
        return Environment.has(program: name) ? name : nil
    }

    package static let advice =
        "Build it with 'swift build -c release --traits FastStart --product clips-mirror', and install it next to clips."

    /// Returns the Debian package of a library that the dynamic linker did not find.
    ///
    /// - Parameter errors: The output of ld.so(8): `…: libnats.so.3.4: cannot open shared object file: …`.
    package static func missingPackage(_ errors: String) -> String? {
        errors.split(whereSeparator: { $0 == " " || $0 == ":" }).first {
            $0.contains(".so.") && $0.hasPrefix("lib")
        }
        .map { String($0.replacing(".so.", with: "")) }
    }
}
