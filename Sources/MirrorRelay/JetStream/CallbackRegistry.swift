import Synchronization

/// Objects by number. A C callback gets the number, so that one that arrives after its object's end finds none.
final class CallbackRegistry<Object: AnyObject & Sendable>: Sendable {
    private struct State {
        var last = 0
        var objects: [Int: Object] = [:]
    }
    private let state = Mutex(State())

    func add(_ object: Object) -> Int {
        state.withLock { state in
            state.last += 1
            state.objects[state.last] = object
            return state.last
        }
    }

    func remove(_ number: Int) { state.withLock { $0.objects[number] = nil } }

    /// The object of a callback's argument.
    subscript(closure: UnsafeMutableRawPointer?) -> Object? {
        state.withLock { $0.objects[Int(bitPattern: closure)] }
    }

    /// The argument with which a callback finds the object.
    static func closure(_ number: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: number)
    }
}
