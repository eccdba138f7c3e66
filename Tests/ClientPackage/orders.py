import sqlite3
import sys

database = sqlite3.connect("shop.db", isolation_level=None, timeout=5)
database.execute(
    "CREATE TABLE IF NOT EXISTS orders"
    " (id INTEGER PRIMARY KEY, customer TEXT UNIQUE, total REAL)")


def order(customer, total):
    database.execute(
        "INSERT INTO orders (customer, total) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET total = total + excluded.total",
        (customer, total))


for customer, total in zip(sys.argv[1::2], sys.argv[2::2]):
    order(customer, float(total))
print(database.execute("SELECT count(*) FROM orders").fetchone()[0], "orders")
