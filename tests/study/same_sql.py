"""SQL that DuckDB and Spark answer alike, and what of it is refused; test_spark.py asks both."""

from __future__ import annotations

__all__ = ["ALIKE", "OTHERWISE", "QUERIES"]

# By where the values come from.
ALIKE = {
    """FROM (SELECT d, d * 1e0 AS x, CAST(d AS VARCHAR) AS t FROM
    (VALUES (-2.5), (-1.5), (-0.4), (0.0), (0.5), (1.5), (2.5), (1000000000.0), (NULL)) v(d)) n""": """
    d::BIGINT | x::BIGINT | t::BIGINT | x::INT | (x > 0)::INT | TRY_CAST(t || '0' AS BIGINT)
    TRY_CAST('a' || t AS INT) | x / 0 | 0 / x | x / x | d / 3 | 7 / d | 100 / 1048576.0 / d
    x / nullif(x, 0) | -x / 0 | d / d / d | ln(x) | log(x) | log10(d) | log2(x) | log(100.0) | log(2, 8)
    log(10, 1000) | sqrt(x) | exp(x / 1e9) | x ** 2 | sign(x) | d::DECIMAL | x::DECIMAL(20, 1) | round(x)
    round(d) | floor(d) | ceil(x) | abs(d) | greatest(x, 1, NULL) | least(d, 1) | 7 // 2 | -7 // 2 | -7 % 3
    CASE WHEN d > 0 THEN 1.0 ELSE 0.5 END | coalesce(d, 0) | d IS DISTINCT FROM 0 | d BETWEEN 0 AND 2
    d IN (0.5, NULL)""",
    """FROM (SELECT CAST(2 ** x AS BIGINT) AS n FROM
    (VALUES (0), (1), (3), (29), (31), (39), (47), (49), (51)) v(x)) p""": """
    floor(log2(n)) | ceil(log2(n)) | floor(log10(n * 1000 / n)) | n::VARCHAR | (n / 1048576)::BIGINT | n % 7
    n // 3""",
    r"""FROM (VALUES ('hello'), ('aabb'), ('x_1'), ('xa1'), ('x\_1'), ('a.b.c'), (''), (NULL)) v(s)""": r"""
    s LIKE 'x\_1' | s LIKE 'x_1' | s ILIKE 'X%' | s LIKE '%l%' ESCAPE '!' | s LIKE s
    s LIKE 'x!_1' ESCAPE '!' | regexp_replace(s, 'a', 'x') | regexp_replace(s, 'a', 'x', 'g')
    regexp_replace(s, '(a)(b)', '$\2\1\\') | regexp_replace(s, '(l+|b)', '<\1>')
    regexp_replace(s, '^', '/') | regexp_replace(s, '$', '/') | regexp_matches(s, '^[ax]')
    regexp_extract(s, '[a-z]+') | regexp_extract(s, '([a-z])\.([a-z])', 2) | substring(s, 2, 3)
    substring(s, 9) | left(s, 2) | right(s, 2) | split_part(s, '.', 2) | split_part(s, '.', -1)
    split_part(s, '.', 9) | concat(s, '-', 1) | s || '-' | length(s) | upper(s) | lower(s) | trim(s)
    replace(s, 'a', '') | strpos(s, 'l') | starts_with(s, 'x') | suffix(s, 'b') | contains(s, '.')
    concat(s, NULL) | s = 'hello' | s < 'b' | nullif(s, '') | ifnull(s, 'none') | prefix(s, 'x')""",
    """FROM (SELECT t::TIMESTAMPTZ AS t FROM (VALUES ('2026-03-01 17:50:00.25'), ('2026-03-02 18:15:00'),
    ('2025-12-29 00:00:00'), ('2024-02-29 23:59:59'), (NULL)) v(t)) m""": """
    extract(dow FROM t) | dayofweek(t) | extract(isodow FROM t) | isodow(t) | weekday(t)
    date_part('dow', t) | extract(week FROM t) | extract(year FROM t) | year(t) | month(t) | day(t)
    hour(t) | minute(t) | quarter(t) | dayofyear(t) | extract(doy FROM t) | epoch(t) | epoch_us(t)
    epoch_ms(t) | extract(epoch FROM t) | t::VARCHAR | concat(t, '!') | t::DATE | CAST(t AS DATE)::VARCHAR
    date_trunc('hour', t) | date_trunc('week', t) | date_trunc('day', t)::DATE
    date_trunc('month', t::DATE)::DATE | date_diff('hour', t, TIMESTAMPTZ '2026-03-02 18:15:00+00')
    date_diff('day', t, TIMESTAMPTZ '2026-03-02 00:00:00+00')
    date_diff('second', t, TIMESTAMPTZ '2026-03-02 00:00:00+00')
    date_diff('month', TIMESTAMPTZ '2026-03-02 00:00:00+00', t) | strftime(t, '%Y-%m-%d %H:%M:%S')
    t + INTERVAL 1 MONTH | t - INTERVAL 5 MINUTE | t > '2026-03-01'
    t = TIMESTAMPTZ '2026-03-02 18:15:00+00'""",
    """FROM (VALUES (1, 10, 0.5, true), (2, NULL, 0.25, false), (3, 30, 1.0, true), (4, NULL, NULL, NULL))
    v(k, n, d, b)""": """
    count(*) | count(n) | count(DISTINCT b) | sum(n) | sum(d) | avg(n) | avg(d)
    avg(CASE WHEN b THEN 1.0 ELSE 0 END) | avg(DISTINCT n) | max_by(n, k) | min_by(n, k) | arg_max(k, d)
    max_by(k, n) | min(d) | max(k) | bool_or(b) | bool_and(b) | count_if(b) | median(k)
    quantile_cont(k, 0.33) | stddev(k) | stddev_pop(n) | var_samp(d) | var_pop(k) | sum(n) FILTER (WHERE b)
    sum(n)::INT | TRY_CAST(sum(n) AS BIGINT) | CAST(sum(d) * 10 AS BIGINT) | round(avg(d), 2)""",
}

QUERIES = """
    WITH known AS (SELECT * EXCLUDE (log) FROM logs) SELECT count(*)::int AS n, sum(processes) > 0 AS some
    FROM known

    SELECT key, row_number() OVER (ORDER BY key DESC) AS r, lag(key) OVER (ORDER BY key) AS before FROM
    site ORDER BY 1

    SELECT complete, count(*) AS n FROM logs GROUP BY ROLLUP (complete) ORDER BY n, complete NULLS FIRST

    SELECT key FROM site UNION SELECT executable FROM logs EXCEPT SELECT 'x' ORDER BY 1 LIMIT 3 OFFSET 1

    SELECT l.log FROM logs l SEMI JOIN instances i ON i.log = l.log WHERE EXISTS (SELECT 1 FROM files f
    WHERE f.log = l.log) ORDER BY 1

    SELECT log FROM logs QUALIFY row_number() OVER (ORDER BY log) = 1

    SELECT count(*), max(log) FROM logs
"""

OTHERWISE = """
    substring(s, 0, 2) | substring(s, n) | left(s, -1) | monthname(t) | dayname(t) | quantile(n, .33)
    kurtosis(n) | format('{}', n) | n::HUGEINT | s[1:2] | [1, 2] | {'a': 1} | hash(s) | random()
    any_value(n) | string_agg(s, ',') | strftime(t, '%j') | date_sub('hour', t, t) | extract(second FROM t)
    date_trunc('decade', t) | to_timestamp(n) | log(3, n) | regexp_replace(s, s, 'x')
    regexp_replace(s, 'a', 'b', 'i') | regexp_matches(s, '[[:alpha:]]') | regexp_full_match(s, 'a')
    date_diff('week', t, t) | java_method('java.lang.System', 'exit', 1) | input_file_name() | 7.5 // 2
    list(n) | approx_count_distinct(n) | n << 1 | mode(n) | max_by(n, n, 2)
"""
