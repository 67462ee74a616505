// What queries/scale_out keeps, read by DuckDB from the CSV that the sqlite3 shell writes: types, rows and sums.
//
//   node duckdb.js FILE.csv       prints rows, sums and types, separated by bars
const { DuckDBInstance } = require(process.env.NODE_MODULES + '/@duckdb/node-api');

(async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const ask = async (sql) => (await connection.runAndReadAll(sql)).getRows();
    const file = `read_csv('${process.argv[2].replaceAll("'", "''")}')`;
    const [sums] = await ask(`SELECT count(*), count(DISTINCT config), sum(pp), round(sum(iteration_ms), 3),
        round(max(memory_variance), 3), printf('%.9g', min(phi)) FROM ${file}`);
    console.log(sums.join('|'));
    const types = await ask(`SELECT column_name, column_type FROM (DESCRIBE FROM ${file})
        WHERE column_name IN ('job', 'config', 'pp', 'iteration_ms', 'peak_mib', 'memory_variance', 'phi')`);
    console.log(types.map((row) => row.join(' ')).join(', '));
    const [best] = await ask(`SELECT config FROM ${file} ORDER BY phi LIMIT 1`);
    console.log(best[0]);
})();
