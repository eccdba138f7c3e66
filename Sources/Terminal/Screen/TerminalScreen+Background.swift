import CTerminal
import Platform

extension TerminalScreen {
    /// Requests the color of the background; ``TerminalEvent/report(_:)`` has the answer, if there is one.
    ///
    /// The attributes are the last answer, since every terminal reports them.
    package func requestBackground() {
        // Some versions of the Linux console display the request.
        guard !isHeadless, Environment.variable("TERM")?.hasPrefix("linux") != true else { return }
        questionTime = .now
        terminal_begin_input()
        _ = descriptor.write("\u{1B}]11;?\u{1B}\\\u{1B}[c")
    }

    /// Ends the wait for answers.
    package func finishAnswers() { questionTime = nil }

    /// Waits briefly for answers under way, which the next program would read as keys.
    func discardAnswers() {
        guard let time = questionTime else { return }
        questionTime = nil
        guard time + .seconds(1) > .now else { return }
        let deadline = ContinuousClock.now + .milliseconds(100)
        var decoder = KeyDecoder()
        while !decoder.reports.contains(.attributes), deadline > .now {
            let left = ContinuousClock.now.duration(to: deadline)
            guard DescriptorIO.poll([descriptor.input], for: left)[0].isReadable,
                let bytes = try? DescriptorIO.readAvailable(descriptor.input, limit: 4096), !bytes.isEmpty
            else { return }
            _ = decoder.decode(bytes)
        }
    }
}
