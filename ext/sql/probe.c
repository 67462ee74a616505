#include "sql/probe.h"

#include "core/clock.h"
#include "core/whole.h"

SQLITE_EXTENSION_INIT3

/* Walks ?1 of 10^5 rows: some 2.2 steps each. */
static const char steps[] =
    "WITH d(x) AS (VALUES (0), (0), (0), (0), (0), (0), (0), (0), (0), (0)) "
    "SELECT 1 FROM d, d AS e, d AS f, d AS g, d AS h LIMIT 1 OFFSET ?1";
enum { MOST_ROWS = 99999, ROWS_PER_MS = 1800, NS_PER_MS = 1000000 };
/* A statement that has stood for this long has taken 10^5 steps. */
enum { ENOUGH_NS = 25 * NS_PER_MS };

static int stop(void *context) {
    memx_probe *probe = context;
    int64_t now = memx_clock_ns(), passed = now - probe->last_ns;
    if (passed < probe->wait_ns) {
        if (probe->watch->progress.silent) memx_watch_look(probe->watch, now);
        return 0;
    }
    probe->last_ns = now;
    probe->stood_ns += passed;
    probe->wait_ns = NS_PER_MS;
    int rc = SQLITE_OK;
    if (!probe->statement) rc = sqlite3_prepare_v2(probe->db, steps, -1, &probe->statement, NULL);
    if (rc == SQLITE_OK) {
        int64_t rows = passed / (NS_PER_MS / ROWS_PER_MS);
        sqlite3_bind_int64(probe->statement, 1, rows < MOST_ROWS ? rows : MOST_ROWS);
        rc = sqlite3_step(probe->statement);
        sqlite3_reset(probe->statement);
    }
    /* Out of memory, say, is for the work itself to notice. */
    if (rc == SQLITE_INTERRUPT) {
        memx_watch_interrupted(probe->watch);
        return 1;
    }
    memx_watch_look(probe->watch, now);
    return 0;
}

void memx_probe_open(memx_probe *probe, sqlite3 *db, memx_watch *watch) {
    *probe =
        (memx_probe){.db = db, .watch = watch, .wait_ns = NS_PER_MS, .poll = {stop, probe, NULL}};
}

void memx_probe_resume(memx_probe *probe) {
    probe->last_ns += memx_clock_ns() - probe->paused_ns;
}

void memx_probe_pause(memx_probe *probe) {
    probe->paused_ns = memx_clock_ns();
    sqlite3_finalize(probe->statement);
    probe->statement = NULL;
    if (probe->stood_ns < ENOUGH_NS) {
        probe->last_ns -= probe->stood_ns;
        probe->wait_ns = memx_greatest(probe->wait_ns, 2 * probe->stood_ns);
    }
    probe->stood_ns = 0;
}
