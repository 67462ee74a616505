#include "sql/probe.h"

SQLITE_EXTENSION_INIT3

static int stop(void *context) {
    memx_probe *probe = context;
    int rc = sqlite3_step(probe->statement);
    sqlite3_reset(probe->statement);
    return rc != SQLITE_ROW;
}

int memx_probe_open(memx_probe *probe, sqlite3 *db) {
    probe->poll = (memx_poll){stop, probe};
    return sqlite3_prepare_v2(db, "SELECT 1", -1, &probe->statement, NULL);
}

void memx_probe_close(memx_probe *probe) {
    sqlite3_finalize(probe->statement);
    probe->statement = NULL;
}
