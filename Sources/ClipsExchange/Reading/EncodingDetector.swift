/// Detects the encoding of text without a declaration, by the share of the most frequent letters of a language.
enum EncodingDetector {
    private struct Candidate {
        let name: String
        /// The frequent letters, and the share of them that text of the language has at least.
        let letters: Set<Unicode.Scalar>
        let share: Double

        init(_ name: String, _ letters: String, _ share: Double) {
            (self.name, self.share) = (name, share)
            self.letters = Set(letters.unicodeScalars)
        }
    }

    private static let candidates: [Candidate] = {
        let kana = String(String.UnicodeScalarView((0x3041...0x30FC).compactMap(Unicode.Scalar.init)))
        let simplified = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经"
        let traditional = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經"
        let korean = "이다는의에을가고하지로도를은한사자리기아서대어나인시그것들해있수정일보전만여적부라게제"
        let russian = "оеаинтсрвлкмдпуязыьбг"
        return [
            Candidate("CP932", kana, 0.3), Candidate("EUC-JP-MS", kana, 0.3),
            Candidate("GB18030", simplified, 0.2), Candidate("BIG5-HKSCS", traditional, 0.2),
            Candidate("CP949", korean, 0.25), Candidate("WINDOWS-1251", russian, 0.6),
            Candidate("KOI8-R", russian, 0.6), Candidate("IBM866", russian, 0.6),
            Candidate("ISO-8859-5", russian, 0.6), Candidate("WINDOWS-1253", "αοιετσνηυρπκμλ", 0.5),
            Candidate("WINDOWS-1255", "יולהאמרתבשנ", 0.5), Candidate("CP874", "านรอกเงมยลวดทสต", 0.4),
        ]
    }()

    private static let sample = 1 << 15

    /// Returns the encoding of bytes; nil for ASCII and UTF-8 with a few errors, and where no language fits.
    static func name(of bytes: [UInt8]) -> String? {
        if bytes.contains(0x1B), bytes.contains(where: { $0 >= 0x80 }) == false {
            let marks: [[UInt8]] = [Array("\u{1B}$B".utf8), Array("\u{1B}$@".utf8)]
            return marks.contains { bytes.prefix(sample).contains($0) } ? "ISO-2022-JP" : nil
        }
        guard let start = bytes.firstIndex(where: { $0 >= 0x80 }) else { return nil }
        let piece = Array(bytes[start...].prefix(sample))
        let scalars = String(decoding: piece, as: UTF8.self).unicodeScalars
        let (errors, letters) = (scalars.count { $0 == "\u{FFFD}" }, scalars.count { $0.value >= 0x80 })
        if errors == 0 || errors * 10 <= letters { return nil }
        var best: (name: String, fit: Double)?
        for candidate in candidates {
            guard let converter = try? EncodingConverter(candidate.name) else { continue }
            let text = String(decoding: converter.convert(piece, isLast: false), as: UTF8.self)
            let fit = share(candidate.letters, in: text, invalid: converter.invalidCount) / candidate.share
            if fit >= 1, fit > best?.fit ?? 0 { best = (candidate.name, fit) }
        }
        return best?.name
    }

    /// Returns the share of letters among those that are not ASCII. A letter next to ASCII letters does not count: in
    /// Western languages, letters with accents are rarely neighbors.
    private static func share(_ letters: Set<Unicode.Scalar>, in text: String, invalid: Int) -> Double {
        var (all, frequent, isAfterLetter) = (0, 0, false)
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x80, scalar.value != 0xA0 else {
                isAfterLetter = false
                continue
            }
            all += 1
            if isAfterLetter && letters.contains(scalar) { frequent += 1 }
            isAfterLetter = true
        }
        return all > 3 && invalid * 50 <= all ? Double(frequent) / Double(all) : 0
    }
}
