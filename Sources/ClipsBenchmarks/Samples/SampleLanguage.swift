/// The words of one language: some of the most common ones, and syllables for rarer ones.
struct SampleLanguage: Sendable {
    let code: String
    /// The separator of words; empty if the language has none.
    let space: String
    let common: [String]
    let syllables: [String]

    private init(_ code: String, _ common: String, _ syllables: String, space: String = " ") {
        self.code = code
        self.space = space
        self.common = common.split(separator: " ").map(String.init)
        self.syllables = syllables.split(separator: " ").map(String.init)
    }

    static let all = [
        english, german, spanish, russian, greek, arabic, hebrew, hindi, chinese, japanese, korean,
    ]

    private static let english = SampleLanguage(
        "en",
        "the of and to in is that for it with as on was be by not this are at from how why what when new one",
        "con ver sta tion ing er al men pro lo ber ta ri ough ness ful light stone wa ter gra ph net code mo del sto"
    )
    private static let german = SampleLanguage(
        "de",
        "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an wie über",
        "ver ge schaft ung heit keit stra ße haus bau mög lich über schw ar ten berg lei tung werk fa brik grün bäck"
    )
    private static let spanish = SampleLanguage(
        "es",
        "de la que el en y a los se del las un por con no una su para es al lo como más pero sus año según",
        "ción mien to ca sa rre ña dad is ta pa la bra mun do cie lo té ri co var go bue no ma drid lla ve jar dín"
    )
    private static let russian = SampleLanguage(
        "ru",
        "и в не на я быть он с что а по это она этот к но они мы весь который из у за свой мочь год как для",
        "про ста ние го род ре ка во дом сло весть кар та мо ре лес ный скую пис ать кни га жур нал ти хий свет лый"
    )
    private static let greek = SampleLanguage(
        "el",
        "και το να του η με για την από που της ο σε είναι στο τα τι των δεν θα στην μια ένα πως αν όταν νέα",
        "θά λασ σα λό γος βι βλί ο πό λη ση μα σία χρό νος ου ρα νός γρά φω ά νε μος νη σί μέ ρα κό σμος φως δρό"
    )
    private static let arabic = SampleLanguage(
        "ar",
        "في من على أن إلى عن مع هذا كان هذه التي الذي ما لا بعد كل بين قد ذلك عند هو هي كيف لماذا جديد يوم",
        "كت اب مد ينة بح ر سم اء عل وم تار يخ قر اءة صو رة شم س لي ل نه ار سف ر حد يث مع رفة طر يق"
    )
    private static let hebrew = SampleLanguage(
        "he", "של את על לא זה הוא עם היא כי גם כל אם או יותר אני מה בין אבל רק אחד איך למה חדש יום לפני אחרי",
        "ספ ר יל ד בי ת עי ר ים מד ינה של ום תו כנ ה דר ך זמ ן אור חו ף מכ תב גן הר נה ר שע ה"
    )
    private static let hindi = SampleLanguage(
        "hi", "के में है की से को का और ने पर यह कि एक हैं भी नहीं इस तो ही वह कर था लिए साथ जो अब कैसे क्यों नया",
        "कि ता ब न गर पा नी आ का श स मय वि द्या लय रा त दि न क था बा ज़ार ग्रा म सू र्य च न्द्र मा"
    )
    private static let chinese = SampleLanguage(
        "zh", "的 一 是 不 了 在 人 有 我 他 这 中 大 来 上 国 个 到 说 们 为 子 和 你 地 出 道 也 时 年",
        "海 边 城 市 图 书 馆 历 史 新 闻 技 术 山 水 河 流 火 车 学 校 语 言 数 据 网 页 生 活 音 乐 花 园 星 空 秋 冬 春 夏 路 桥",
        space: "")
    private static let japanese = SampleLanguage(
        "ja", "の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その",
        "高 速 道 路 地 図 東 京 海 山 川 本 屋 カメ ラ コー ヒー ニュ ース 電 車 学 校 歴 史 旅 行 朝 夜 空 料 理 ことば ひかり",
        space: "")
    private static let korean = SampleLanguage(
        "ko", "이 그 저 것 수 는 을 를 에 의 가 한 하고 있다 없다 우리 나는 왜 어떻게 새로운 오늘 그리고 하지만 때문에 매일",
        "바 다 하 늘 도 서 관 역 사 지 도 음 악 여 행 커 피 학 교 사 람 시 간 나 무 별 빛 겨 울 봄 길 산 강 책 방")
}
