import CNATS
import Platform

extension RelayError {
    /// Creates the reason that a connection was not made, with the next step.
    ///
    /// libnats has it in the last error of the calling thread only: for a certificate, `…: 18:self-signed certificate:…`
    /// with the number of X509_V_ERR in OpenSSL.
    init(_ status: natsStatus, connectingTo address: ServerAddress) {
        let detail = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
        switch status {
        case NATS_SECURE_CONNECTION_REQUIRED:
            self = .unreachable(reason: "it requires TLS; use tls:// in the URL")
        case NATS_SECURE_CONNECTION_WANTED:
            self = .unreachable(
                reason: "it has no TLS; give it a certificate, or use nats:// on its own machine")
        case NATS_SSL_ERROR:
            self = .unreachable(reason: Self.reason(ofCertificate: detail, address))
        case NATS_NO_SERVER, NATS_IO_ERROR, NATS_TIMEOUT:
            self = .unreachable(reason: Self.reason(ofSilence: address))
        default:
            self.init(status)
        }
    }

    private static func reason(ofCertificate detail: String, _ address: ServerAddress) -> String {
        let error = detail.ranges(of: "error: ").last.map { detail[$0.upperBound...] } ?? ""
        switch Int(error.prefix { $0.isNumber }) {
        case 9: return "its certificate is not valid yet; check the time of this machine"
        case 10: return "its certificate has expired; renew it"
        case 62: return "its certificate is not for the host \(address.host); use the host of the certificate"
        case 18 where address.authority == nil:
            return "its certificate is signed by itself; name a copy of it with --ca, if you trust it"
        case 18, 19, 20, 21:
            return address.authority == nil
                ? "this machine does not trust the authority of its certificate; name that with --ca"
                : "the authority of --ca did not sign its certificate; check --ca"
        default: return "TLS failed (\(detail.isEmpty ? "no reason" : detail))"
        }
    }

    /// Distinguishes a name without an address from a server that does not answer; libnats does not. getent(1)
    /// exits with 2 for an unknown name.
    private static func reason(ofSilence address: ServerAddress) -> String {
        let lookup = ChildProcess.start(
            ["getent", "ahosts", address.host], streams: [0: nil, 1: nil, 2: nil])
        return ChildProcess.status(of: lookup) == 2
            ? "the host \(address.host) has no address; check its name and the network"
            : "nothing answers at \(address.url); check the port, and that the server runs"
    }
}
