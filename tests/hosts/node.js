// MemX in Node with better-sqlite3, which brings a SQLite of its own: node.js DATABASE EXTENSION. Prints what is
// wrong, and exits with 1 then.
'use strict';
const path = require('path');
const Database = require(path.join(process.env.NODE_MODULES, 'better-sqlite3'));

const [database, extension] = process.argv.slice(2);
let bad = false;
function check(what, got, wanted) {
  const same = JSON.stringify(got) === JSON.stringify(wanted);
  console.log(same ? 'ok:' : 'WRONG:', what, same ? '' : `${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  bad = bad || !same;
}
function fails(what, message, action) {
  let got = 'no error';
  try { action(); } catch (error) { got = error.message.includes(message) ? message : error.message; }
  check(what, got, message);
}

const db = new Database(database);
fails('not loaded', 'no such function: memx_version', () => db.prepare('SELECT memx_version()'));
fails('not there', 'cannot open shared object file', () => db.loadExtension('/nowhere/memx'));
db.loadExtension(extension);
check('loaded', /^\d+\.\d+\.\d+$/.test(db.prepare('SELECT memx_version()').pluck().get()), true);
console.log(db.prepare('SELECT memx_debug()').pluck().get());

const top = db.prepare('SELECT config, tp, iteration_ms, phi FROM memx_configs WHERE job = ? ORDER BY phi LIMIT 10');
const rows = top.all('mix20');
check('ten rows', rows.length, 10);
check('in order', rows.map(r => r.phi), rows.map(r => r.phi).sort((a, b) => a - b));
check('types', Object.values(rows[0]).map(x => typeof x), ['string', 'number', 'number', 'number']);

// The rows of a ranked search come as they are asked for.
const search = db.prepare("SELECT phi FROM memx_configs('free') WHERE job = ? ORDER BY phi");
let count = 0, last = 0, ordered = true;
for (const row of search.iterate('mix20')) {
  ordered = ordered && row.phi >= last;
  last = row.phi;
  if (++count === 1000) break;
}
check('a thousand of 10^15, in order', [count, ordered], [1000, true]);
check('goes on', top.all('xy').length, 10);

// Whole numbers: a JavaScript number holds 53 bits, a BigInt all 64.
const big = db.prepare('SELECT max_rows, tp FROM memx_configs WHERE job = ? AND max_rows = 9007199254740993 LIMIT 1');
check('safeIntegers', Object.values(big.safeIntegers().get('xy')).map(String)[0], '9007199254740993');
check('and where they are not', typeof big.safeIntegers(false).get('xy').tp, 'number');
check('a BigInt as parameter', db.prepare('SELECT count(*) AS n FROM memx_configs WHERE job = ? AND tp = ?').get('xy', 2n).n > 0, true);

fails('its messages', "no job 'mix21'; nearest: mix20", () =>
  db.prepare("SELECT * FROM memx_configs WHERE job = 'mix21'").all());
fails('names in double quotes are names', 'no such column', () =>
  db.prepare('SELECT * FROM memx_configs WHERE job = "mix20"').all());
// A new database, from memory, in a second connection beside the first.
const own = new Database(':memory:');
own.loadExtension(extension);
own.prepare('SELECT memx_init()').get();
check('memx_init()', own.prepare('SELECT count(*) > 40 FROM memx_device').pluck().get(), 1);
own.close();
db.close();
process.exit(bad ? 1 : 0);
