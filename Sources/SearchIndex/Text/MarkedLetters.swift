/// Letters with marks, by the base letter.
///
/// Source: the decompositions of the Unicode Character Database, except for marked letters that are separate
/// letters (й, ї). Each string is a base letter followed by its variants.
enum MarkedLetters {
    static let groups = [
        "aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ",
        "cçćĉċčḉ",
        "eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ",
        "iìíîïĩīĭįǐȉȋḭḯỉịı",
        "nñńņňǹṅṇṉṋ",
        "oòóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿ",
        "uùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự",
        "yýÿŷȳẏẙỳỵỷỹ",
        "dďḋḍḏḑḓđ",
        "gĝğġģǧǵḡ",
        "hĥȟḣḥḧḩḫẖħ",
        "jĵǰ",
        "kķǩḱḳḵ",
        "lĺļľḷḹḻḽł",
        "rŕŗřȑȓṙṛṝṟ",
        "sśŝşšșṡṣṥṧṩẛ",
        "tţťțṫṭṯṱẗŧ",
        "wŵẁẃẅẇẉẘ",
        "zźżžẑẓẕ",
        "ιΐίϊἰἱἲἳἴἵἶἷὶῐῑῒῖῗ",
        "αάἀἁἂἃἄἅἆἇὰᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ",
        "εέἐἑἒἓἔἕὲ",
        "ηήἠἡἢἣἤἥἦἧὴᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ",
        "υΰϋύὐὑὒὓὔὕὖὗὺῠῡῢῦῧ",
        "οόὀὁὂὃὄὅὸ",
        "ωώὠὡὢὣὤὥὦὧὼᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ",
        "еѐё",
        "иѝ",
        "ѵѷ",
        "уӳ",
        "bḃḅḇ",
        "fḟ",
        "mḿṁṃ",
        "pṕṗ",
        "vṽṿ",
        "xẋẍ",
        "ρῤῥ",
        "اآأإ",
        "وؤ",
        "يئ",
        "σς",
    ]

    /// Letters that fold to two letters.
    static let pairs: [(Unicode.Scalar, String)] = [
        ("ß", "ss"), ("ẞ", "ss"), ("æ", "ae"), ("Æ", "ae"), ("œ", "oe"), ("Œ", "oe"), ("þ", "th"),
        ("Þ", "th"),
        ("ĳ", "ij"), ("Ĳ", "ij"), ("ﬁ", "fi"), ("ﬂ", "fl"),
    ]

    /// U+FF66 to U+FF9D as hiragana, in order.
    static let narrowKana = "をぁぃぅぇぉゃゅょっーあいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわん"
}
