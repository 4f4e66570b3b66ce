printf 'create table t(a); insert into t values(1),(2);\n.backup copy\n.dump\nselect sum(a) from t;\n' | sqlite3 d.db; sqlite3 copy 'select count(*) from t'
