#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The name of this machine.
package enum HostName {
    /// The name that uname(2) returns, without a query of the network; empty if it has none.
    package static var current: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "" }
        return withUnsafeBytes(of: &name.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
