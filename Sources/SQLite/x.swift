import CSQLite
package func v() -> Int32 { sqlite3_libversion_number() }
