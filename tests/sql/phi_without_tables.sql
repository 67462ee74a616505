-- phi needs no table: it works in an empty database, with the shipped names. (A new connection has to
-- load MemX again.)
.open :memory:
.read '|echo .load $MEMX'

SELECT 'tables', count(*) FROM sqlite_schema;
SELECT 'the paper''s example', round(phi(1.1, 1, 0.5), 3);
SELECT weights, round(phi(2, 3, 5, weights), 4)
    FROM (SELECT column1 AS weights
        FROM (VALUES ('default'), ('safe'), ('throughput'), ('[0.4, 0.2, 0.4]')));
SELECT phi(1, 1, 1, 'mine');
SELECT 'tables', count(*) FROM sqlite_schema;
