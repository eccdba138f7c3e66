import FoundationEssentials
import Dispatch
import Synchronization
let e = JSONEncoder()
print(try String(decoding: e.encode(["a": 1]), as: UTF8.self), Date().formatted(.iso8601))
actor A { func f() -> Int { 3 } }
print(await A().f())
