cat >s.py <<'X'
import multiprocessing, sqlite3
def add(mode, start):
    db = sqlite3.connect(f"{mode}.db", timeout=60, isolation_level=None)
    for i in range(start, start + 40): db.execute("insert into t values (?, ?)", (i, "x" * i))
    db.close()
for mode in ("wal", "delete"):
    db = sqlite3.connect(f"{mode}.db"); db.execute(f"pragma journal_mode={mode}"); db.execute("pragma mmap_size=65536")
    db.execute("create table t (a primary key, b)"); db.commit()
    ps = [multiprocessing.Process(target=add, args=(mode, k * 100)) for k in range(3)]
    [p.start() for p in ps]; [p.join() for p in ps]
    print(mode, [p.exitcode for p in ps], db.execute("select count(*), sum(length(b)) from t").fetchall())
    print(db.execute("pragma integrity_check").fetchall()); db.execute("vacuum"); db.close()
X
python3 s.py; ls; rm -f ./*.db
