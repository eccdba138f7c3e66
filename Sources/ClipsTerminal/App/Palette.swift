import Terminal

/// The two designed themes, for a dark and a light background, and their forms with fewer colors, in the
/// language of `color` in the config file.
enum Palette {
    static func styles(
        _ choice: Theme.Choice, _ colors: ColorCapability, isLight: Bool
    ) -> [(role: Theme.Role, style: Style)] {
        let text =
            switch (choice, colors) {
            case (.plain, _), (_, .none): plain
            case (_, .eight), (_, .sixteen): isLight ? lightSixteen : darkSixteen
            default: isLight ? light : dark
            }
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard let role = Theme.Role(words[0]), let style = try? Style(config: words.dropFirst()) else {
                return nil
            }
            return (role, style)
        }
    }

    static let dark = """
        title #b9c1cd
        unread bold #f2f5f9
        site #87a5bf
        tag #8fae86
        muted #7d8696
        strong bold #e6eaf0
        heading bold #cdd5e0 on #303642
        selection #f7fafd on #2d5585
        unfocused on #303642
        border #4c5565
        scrollbar #8994a6
        new bold #8fd07c
        star bold #f0c75e
        mark bold #f2a45c
        match bold underline #f2a45c
        link underline #6cb4dc
        note italic #cbb894
        error bold #f2727c
        live #8fd07c
        warning bold #d2a3ea
        key bold #7fc1f5
        bar #a3adbb on #282d37
        author #7d8696
        author-app #7d97c9
        author-cli #6fa8a8
        author-extension #b08ab8
        author-import #a89a6c
        """

    static let light = """
        title #3c4452
        unread bold #10141a
        site #37678f
        tag #47743a
        muted #6b7482
        strong bold #1c222b
        heading bold #2a313c on #dfe4eb
        selection #08203a on #b5d5f5
        unfocused on #dfe4eb
        border #bcc4cf
        scrollbar #7d8896
        new bold #26761a
        star bold #9a6200
        mark bold #b04c06
        match bold underline #b04c06
        link underline #08659a
        note italic #6a5420
        error bold #c01c28
        live #26761a
        warning bold #8434a4
        key bold #0a5aa6
        bar #47505e on #eceff3
        author #6b7482
        author-app #3f5f9f
        author-cli #1f7272
        author-extension #86478f
        author-import #77641c
        """

    private static let darkSixteen = """
        unread bold brightwhite
        site cyan
        tag green
        muted dim
        strong bold
        heading bold underline
        selection brightwhite on blue
        unfocused bold underline
        border dim
        scrollbar white
        new bold brightgreen
        star bold brightyellow
        mark bold brightmagenta
        match bold underline brightyellow
        link underline brightcyan
        error bold brightred
        live green
        warning bold brightmagenta
        key bold brightcyan
        author dim
        author-app dim blue
        author-cli dim cyan
        author-extension dim magenta
        author-import dim yellow
        """

    private static let lightSixteen = """
        unread bold black
        site blue
        tag green
        muted dim
        strong bold
        heading bold underline
        selection black on cyan
        unfocused bold underline
        border dim
        scrollbar black
        new bold green
        star bold magenta
        mark bold red
        match bold underline red
        link underline blue
        error bold red
        live green
        warning bold magenta
        key bold blue
        author dim
        author-app blue
        author-cli cyan
        author-extension magenta
        author-import red
        """

    private static let plain = """
        unread bold
        muted dim
        strong bold
        heading bold underline
        selection reverse
        unfocused bold underline
        border dim
        scrollbar bold
        new bold green
        star bold yellow
        mark bold magenta
        match bold underline
        link underline cyan
        error bold red
        live green
        warning bold magenta
        key bold
        author dim
        author-app dim
        author-cli dim
        author-extension dim
        author-import dim
        """
}
