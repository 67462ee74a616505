/*
** Hostile input for everything that reads text or rows which others wrote. The first byte of an input says what the
** rest is:
**
**   c  a configuration                      m  a recompute level        p  a pipeline layout
**   l  a log of Megatron-LM, read with a job                            w  weights of phi, JSON
**   h  a model's config.json                n, r  what nvidia-smi, rocm-smi list
**   s, d, t, f, o  lines of column=value for rows of memx_space, memx_node, memx_tree, memx_profile (F: for
**      memx_measure) and memx_op, written with CHECKs off and then searched
**   q  each byte a word of a query over the tables
**
** Nothing may crash, hang, leak or leave a transaction open; whatever is read well is written and read again the same.
** A target of libFuzzer with -DLIBFUZZER (clang); else a program that runs files, and so many random changes of each:
**
**   fuzz [-cells=N] [-changes=N] FILE_OR_DIRECTORY...
**
** -cells=N: every Nth of what try_cells() puts into every column of every table. A file's changes take
** 15 s at most.
*/
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/config.h"
#include "core/layout.h"
#include "core/megatron_log.h"

extern int sqlite3_memx_init(sqlite3 *db, char **message, const struct sqlite3_api_routines *api);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sqlite3 *db;
static clock_t deadline; /* of the present statement */

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "fuzz: %s: %s\n", what, detail);
    abort();
}

static const char setup[] =
    "SELECT memx_init();SELECT memx_views();"
    "INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('c', 50), ('f', 50), ('p', 12);"
    "INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib, host_memory_gbs) VALUES"
    "  ('c', 0, 'A100-SXM-80GB', 2, 256000, 100), ('c', 1, 'V100-SXM2-32GB', 2, 128000, 60), ('p', "
    "0, 'RTX3090', 2, 128000, 50);"
    "INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, predictor) "
    "VALUES"
    "  ('j', 'c', 'gpt2', 'megatron-fp16', 8, 256, 'analytic'), ('f', 'f', 'gpt2', "
    "'megatron-fp16', 8, 256, 'analytic'),"
    "  ('learned', 'c', 'gpt2', 'megatron-fp16', 8, 256, 'p'), ('pro', 'p', 'gpt2', "
    "'deepspeed-fp16', 4, 256, 'analytic');"
    "INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, "
    "micro_batch, seq_length,"
    "    recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)"
    "  SELECT d.column1, 'gpt2', 'megatron-fp16', l.value, 0, 0, 1, 1, m.value, 256, 'none', 1, 0, "
    "0,"
    "    l.value * m.value * 0.4 + 1, 900 + 60 * l.value * m.value"
    "  FROM (VALUES ('A100-SXM-80GB'), ('V100-SXM2-32GB')) AS d, json_each('[2,4,8]') AS l, "
    "json_each('[1,2,4]') AS m;"
    "SELECT memx_train('p', '{\"rounds\": 3, \"least_rows\": 6, \"validate\": 0, \"trees\": "
    "\"always\"}');"
    "PRAGMA ignore_check_constraints = ON;";

static int late(void *unused) {
    (void)unused;
    return clock() > deadline;
}

static void start(void) {
    char *message = NULL;
    sqlite3_auto_extension((void (*)(void))sqlite3_memx_init);
    if (sqlite3_open(":memory:", &db)) fail("open", sqlite3_errmsg(db));
    deadline = clock() + 60 * CLOCKS_PER_SEC;
    if (sqlite3_exec(db, setup, NULL, NULL, &message)) fail("setup", message);
    sqlite3_progress_handler(db, 1000, late, NULL);
}

/* Steps a statement with these texts bound, a hundred rows of it at most, for a second at most. SQLite's code. */
static int run(const char *sql, const char *a, int a_size, const char *b) {
    sqlite3_stmt *statement = NULL;
    deadline = clock() + CLOCKS_PER_SEC;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) {
        if (a) sqlite3_bind_text(statement, 1, a, a_size, SQLITE_STATIC);
        if (b) sqlite3_bind_text(statement, 2, b, -1, SQLITE_STATIC);
        for (int rows = 0; rows < 100 && (rc = sqlite3_step(statement)) == SQLITE_ROW; rows++) {
            for (int c = 0; c < sqlite3_column_count(statement); c++) {
                double number = sqlite3_column_double(statement, c);
                if (sqlite3_column_type(statement, c) == SQLITE_FLOAT &&
                    (number != number || number - number != 0.0)) {
                    fail("NaN or infinity in a column", sqlite3_column_name(statement, c));
                }
                sqlite3_column_text(statement, c);
            }
        }
    }
    sqlite3_finalize(statement);
    return rc;
}

/* ---- texts ---- */

/* What the job `j` is, as far as a configuration's text goes. */
static memx_job *plain_job(void) {
    static memx_node nodes[] = {
        {.ordinal = 0, .device = 0, .gpus = 4, .link_gbs = 300, .inter_gbs = 50},
        {.ordinal = 3, .device = 1, .gpus = 4, .link_gbs = 300, .inter_gbs = 50}};
    static memx_device devices[] = {{.name = "A"}, {.name = "B_32"}};
    static memx_job job = {.name = "j",
                           .cluster = "c",
                           .global_batch = 48,
                           .devices = devices,
                           .device_count = 2,
                           .nodes = nodes,
                           .node_count = 2,
                           .gpus = 8};
    job.model = (memx_model){.name = "m",
                             .layers = 12,
                             .hidden = 96,
                             .heads = 12,
                             .kv_groups = 12,
                             .head_dim = 8,
                             .ffn_hidden = 384,
                             .vocab = 1000,
                             .seq_length = 64,
                             .experts = 8,
                             .experts_per_token = 2,
                             .expert_ffn_hidden = 64,
                             .dense_layers = 1};
    return &job;
}

static void try_config(const char *text) {
    memx_error error = {.text = ""};
    memx_config config, again;
    memx_text one = {0}, two = {0};
    if (memx_config_parse(plain_job(), text, &config, &error)) return;
    memx_config_format(plain_job(), &config, &one);
    if (memx_config_parse(plain_job(), one.data, &again, &error))
        fail("a canonical text is refused", one.data);
    memx_config_format(plain_job(), &again, &two);
    if (strcmp(one.data, two.data) != 0) fail("two canonical texts", one.data);
    memx_config_free(&config);
    memx_config_free(&again);
    memx_text_free(&one);
    memx_text_free(&two);
}

static void try_level(const char *text) {
    memx_level level, again;
    char out[MEMX_LEVEL_TEXT];
    if (!memx_level_parse(text, strlen(text), &level)) return;
    memx_level_format(level, out);
    if (!memx_level_parse(out, strlen(out), &again) || memx_level_compare(level, again) != 0)
        fail("a level", out);
}

static void try_layout(const char *text, size_t size) {
    static int32_t layers[MEMX_MAX_STAGES];
    int32_t count = 0;
    memx_error error = {.text = ""};
    (void)memx_layout_read((memx_span){text, size}, layers, &count, MEMX_MAX_STAGES, &error);
}

/* ---- rows ---- */

/* Lines of column=value; an empty line ends a row. Values are numbers where they read as such. */
static void insert_rows(const char *table, const char *fixed, char *text) {
    for (char *line = text; line;) {
        char columns[512] = "", values[2048] = "";
        size_t c = 0, v = 0;
        for (; line;) {
            char *next = strchr(line, '\n'), *equals;
            if (next) *next++ = '\0';
            if (!*line) {
                line = next;
                break;
            }
            equals = strchr(line, '=');
            if (equals && c < 400 && v < 1500) {
                *equals = '\0';
                c += (size_t)snprintf(columns + c, sizeof columns - c, ", \"%.40s\"", line);
                char *quoted = sqlite3_mprintf("%.200Q", equals + 1);
                bool number = equals[1] && !equals[1 + strspn(equals + 1, "0123456789.eE+-")];
                v += (size_t)snprintf(values + v, sizeof values - v, number ? ", %s + 0" : ", %s",
                                      quoted ? quoted : "NULL");
                sqlite3_free(quoted);
            }
            line = next;
        }
        char *sql = sqlite3_mprintf("INSERT OR REPLACE INTO %s(%s) VALUES (%s)", table,
                                    *fixed ? fixed : columns + 2, values + 2);
        if (*fixed) {
            sqlite3_free(sql);
            const char *equal = strchr(fixed, '=');
            sql = sqlite3_mprintf("INSERT OR REPLACE INTO %s(%.*s%s) VALUES (%s%s)", table,
                                  (int)(equal - fixed), fixed, columns, equal + 1, values);
        }
        if (sql) run(sql, NULL, 0, NULL);
        sqlite3_free(sql);
    }
}

static void update_rows(const char *table, char *text) {
    int row = 0;
    for (char *line = text; line;) {
        char *next = strchr(line, '\n'), *equals = strchr(line, '=');
        if (next) *next++ = '\0';
        if (equals) {
            *equals = '\0';
            bool number = equals[1] && !equals[1 + strspn(equals + 1, "0123456789.eE+-")];
            char *sql =
                sqlite3_mprintf(number ? "UPDATE %s SET \"%w\" = %Q + 0 WHERE rowid %% 7 = %d"
                                       : "UPDATE %s SET \"%w\" = %Q WHERE rowid %% 7 = %d",
                                table, line, equals + 1, row++ % 7);
            if (sql) run(sql, NULL, 0, NULL);
            sqlite3_free(sql);
        }
        line = next;
    }
}

static void search(const char *job) {
    run("SELECT * FROM memx_configs WHERE job = ?1 ORDER BY phi LIMIT 5", job, -1, NULL);
    run("SELECT * FROM memx_configs WHERE job = ?1 AND space = 'f' ORDER BY iteration_ms LIMIT 5",
        job, -1, NULL);
    run("SELECT * FROM memx_configs('f') WHERE job = ?1 AND max_rows = 1000", job, -1, NULL);
    run("SELECT * FROM memx_why(?1, 'f')", job, -1, NULL);
    run("SELECT * FROM memx_why(?1)", job, -1, NULL);
    run("SELECT * FROM memx_reference(?1)", job, -1, NULL);
}

/* ---- queries ---- */

static const char *const words[] = {"SELECT",
                                    "*",
                                    "count(*)",
                                    "max(phi)",
                                    "min(iteration_ms)",
                                    "config",
                                    "job",
                                    "phi",
                                    "tp",
                                    "pp",
                                    "dp",
                                    "cp",
                                    "vp",
                                    "ep",
                                    "peak_mib",
                                    "headroom",
                                    "slowdown",
                                    "stage",
                                    "FROM",
                                    "memx_configs",
                                    "memx_predict",
                                    "memx_stages",
                                    "memx_gpus",
                                    "memx_why",
                                    "memx_reference",
                                    "memx_cache",
                                    "memx_measure('j')",
                                    "memx_sensitivity",
                                    "memx_linearity",
                                    "protrain_configs",
                                    "protrain_blocks",
                                    "memx_estimates",
                                    "memx_job",
                                    "memx_node",
                                    "WHERE",
                                    "AND",
                                    "OR",
                                    "NOT",
                                    "=",
                                    "<",
                                    "<=",
                                    ">",
                                    "IN",
                                    "(",
                                    ")",
                                    ",",
                                    "'j'",
                                    "'learned'",
                                    "'free'",
                                    "'default'",
                                    "'wide'",
                                    "0",
                                    "1",
                                    "2",
                                    "0.1",
                                    "-1",
                                    "1e99",
                                    "NULL",
                                    "ORDER BY",
                                    "DESC",
                                    "LIMIT",
                                    "3",
                                    "OFFSET",
                                    "GROUP BY",
                                    "JOIN",
                                    "USING (job)",
                                    "LEFT JOIN",
                                    "ON",
                                    "space",
                                    "weights",
                                    "'safe'",
                                    "pareto",
                                    "shard",
                                    "shards",
                                    "max_rows",
                                    "simulated_ms",
                                    "same_task",
                                    "+",
                                    "IS",
                                    "BETWEEN",
                                    "UNION",
                                    "DISTINCT",
                                    "recompute_plan",
                                    "layer_split",
                                    "megatron_args",
                                    "memx_trace",
                                    "config_problem",
                                    "memx_debug()",
                                    "AS a",
                                    "AS b",
                                    "a.",
                                    "b.",
                                    "WITH x AS (",
                                    "x",
                                    "EXISTS",
                                    "LIKE",
                                    "'%'",
                                    "memory_variance",
                                    "layers",
                                    "recompute",
                                    "'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full'",
                                    "micro_batch",
                                    "seq_length",
                                    "model",
                                    "cluster",
                                    "'c'"};

static void query(const uint8_t *data, size_t size) {
    char sql[4096];
    size_t at = 0;
    for (size_t i = 0; i < size && at < sizeof sql - 128; i++) {
        at += (size_t)snprintf(sql + at, sizeof sql - at, "%s ",
                               words[data[i] % (sizeof words / sizeof *words)]);
    }
    sql[at] = '\0';
    run(sql, NULL, 0, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!db) start();
    if (size < 2 || size > 20000) return 0;
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    int n = (int)size - 1;
    sqlite3_exec(db, "SAVEPOINT fuzz", NULL, NULL, NULL);
    switch (data[0]) {
    case 'c': try_config(text); break;
    case 'm': try_level(text); break;
    case 'p': try_layout(text, size - 1); break;
    case 'l':
        run("SELECT * FROM megatron_log(?1, ?2)", text, n, "j");
        run("SELECT * FROM megatron_log(?1)", text, n, NULL);
        run("SELECT * FROM megatron_log_gpus(?1)", text, n, NULL);
        break;
    case 'w': run("SELECT phi(1.5, 2.5, 3.5, ?1)", text, n, NULL); break;
    case 'h': run("SELECT * FROM hf_config(?1)", text, n, NULL); break;
    case 'n': run("SELECT * FROM nvidia_smi(?1)", text, n, NULL); break;
    case 'r': run("SELECT * FROM rocm_smi(?1)", text, n, NULL); break;
    case 's':
        insert_rows("memx_space", "space='f'", text);
        search("j");
        break;
    case 'd':
        insert_rows("memx_node", "cluster='f'", text);
        search("f");
        break;
    case 't':
        update_rows("memx_tree", text);
        search("learned");
        run("SELECT * FROM memx_stages('learned', "
            "'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full')",
            NULL, 0, NULL);
        break;
    case 'f':
        insert_rows("memx_profile",
                    "model, framework, device='gpt2', 'megatron-fp16', 'A100-SXM-80GB'", text);
        run("SELECT * FROM memx_sensitivity", NULL, 0, NULL);
        run("SELECT * FROM memx_linearity", NULL, 0, NULL);
        run("SELECT * FROM memx_augmented", NULL, 0, NULL);
        run("SELECT memx_train('q', '{\"rounds\": 2, \"least_rows\": 4, \"validate\": 0}')", NULL,
            0, NULL);
        break;
    case 'F': /* apart, since it takes a second */
        insert_rows("memx_profile",
                    "model, framework, device='gpt2', 'megatron-fp16', 'A100-SXM-80GB'", text);
        run("SELECT * FROM memx_measure('j')", NULL, 0, NULL);
        break;
    case 'o':
        insert_rows("memx_op", "model='gpt2'", text);
        run("SELECT * FROM protrain_configs WHERE job = 'pro' ORDER BY iteration_ms LIMIT 3", NULL,
            0, NULL);
        break;
    case 'q': query(data + 1, size - 1); break;
    default: break;
    }
    deadline = clock() + 60 * CLOCKS_PER_SEC;
    if (sqlite3_exec(db, "ROLLBACK TO fuzz; RELEASE fuzz", NULL, NULL, NULL))
        fail("no savepoint", sqlite3_errmsg(db));
    if (!sqlite3_get_autocommit(db)) fail("a transaction is open", "");
    free(text);
    return 0;
}

#ifndef LIBFUZZER
#include <dirent.h>

static int64_t inputs, changes;

static uint64_t next_random(uint64_t *state) { /* xorshift */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Bytes changed, left out, doubled, or exchanged for what such inputs consist of. */
static size_t change(uint8_t *data, size_t size, size_t room, uint64_t *r) {
    static const char pieces[] =
        "0123456789.,:*/|@+-()[]{}\"'=%eE \n\ttpdpmbseqcpvpepdospnonefullblock9999999999e308-1";
    for (uint64_t n = 1 + next_random(r) % 4; n > 0 && size > 2; n--) {
        size_t at = 1 + next_random(r) % (size - 1), length = 1 + next_random(r) % 8;
        if (at + length > size) length = size - at;
        switch (next_random(r) % 4) {
        case 0: data[at] = (uint8_t)next_random(r); break;
        case 1:
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
            break;
        case 2:
            if (size + length > room) break;
            memmove(data + at + length, data + at, size - at);
            size += length;
            break;
        default:
            for (size_t i = 0; i < length; i++)
                data[at + i] = (uint8_t)pieces[next_random(r) % (sizeof pieces - 1)];
        }
    }
    return size;
}

/* Every column of every table holds in all its rows, one after another, what CHECKs would refuse or
 * just allow; every Nth of these. */
static void try_cells(int64_t every) {
    static const char *const values[] = {"NULL",    "''",     "'x'",        "x'00ff'",
                                         "0",       "-1",     "1",          "3",
                                         "0.5",     "1e-300", "1e30",       "1e308",
                                         "9e999",   "-9e999", "2147483648", "9223372036854775807",
                                         "1000000", "'free'"};
    static const char columns[] =
        "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c "
        "WHERE t.type = 'table' AND t.name LIKE 'memx%' ORDER BY t.name, c.cid";
    static const char *const jobs[] = {"j", "learned"};
    static const char *const questions[] = {
        "SELECT * FROM memx_stages(?1, 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full')",
        "SELECT * FROM memx_gpus(?1, 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full')",
        "SELECT memx_report(?1)",
        "SELECT recompute_plan(?1, (SELECT config FROM memx_configs WHERE job = ?1), 'phi')",
        "SELECT * FROM protrain_configs WHERE job = 'pro' ORDER BY iteration_ms LIMIT 2",
        "SELECT * FROM memx_measured WHERE job = ?1",
    };
    sqlite3_stmt *statement = NULL;
    int64_t seen = 0, cells = 0;
    start();
    /* They do find something as long as nothing is wrong. */
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        int rc = run(questions[q], jobs[0], -1, NULL);
        if (rc != SQLITE_DONE && rc != SQLITE_ROW) fail(questions[q], sqlite3_errmsg(db));
    }
    if (sqlite3_prepare_v2(db, columns, -1, &statement, NULL)) fail("columns", sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            if (++seen % every != 0) continue;
            deadline = clock() + 60 * CLOCKS_PER_SEC;
            char *sql = sqlite3_mprintf("SAVEPOINT cell; UPDATE OR REPLACE \"%w\" SET \"%w\" = %s",
                                        sqlite3_column_text(statement, 0),
                                        sqlite3_column_text(statement, 1), values[v]);
            sqlite3_exec(db, sql, NULL, NULL, NULL);
            sqlite3_free(sql);
            for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
                search(jobs[j]);
                for (size_t q = 0; q < sizeof questions / sizeof *questions; q++)
                    run(questions[q], jobs[j], -1, NULL);
            }
            deadline = clock() + 60 * CLOCKS_PER_SEC;
            if (sqlite3_exec(db, "ROLLBACK TO cell; RELEASE cell", NULL, NULL, NULL))
                fail("no savepoint", sqlite3_errmsg(db));
            cells++;
        }
    }
    sqlite3_finalize(statement);
    printf("fuzz.cells\t%lld\tcells\tevery column of every table with what it may not hold; "
           "crashes: 0\n",
           (long long)cells);
}

static void run_file(const char *path) {
    enum { ROOM = 30000 };
    static uint8_t original[ROOM], data[ROOM];
    FILE *f = fopen(path, "rb");
    if (!f) fail("no file", path);
    size_t size = fread(original, 1, ROOM / 2, f);
    (void)fclose(f);
    uint64_t seed = 88172645463325252u + size;
    LLVMFuzzerTestOneInput(original, size);
    inputs++;
    clock_t until = clock() + 15 * CLOCKS_PER_SEC;
    for (int64_t i = 0; i < changes && size > 2 && clock() < until; i++) {
        memcpy(data, original, size);
        LLVMFuzzerTestOneInput(data, change(data, size, ROOM, &seed));
        inputs++;
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-changes=", 9) == 0) {
            changes = atoll(argv[i] + 9);
            continue;
        }
        if (strncmp(argv[i], "-cells=", 7) == 0) {
            try_cells(atoll(argv[i] + 7));
            continue;
        }
        DIR *dir = opendir(argv[i]);
        if (!dir) {
            run_file(argv[i]);
            continue;
        }
        for (struct dirent *e; (e = readdir(dir));) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            if (e->d_name[0] != '.') run_file(path);
        }
        closedir(dir);
    }
    sqlite3_close(db);
    if (inputs > 0)
        printf("fuzz.inputs\t%lld\tinputs\tfiles and random changes of them; crashes: 0\n",
               (long long)inputs);
    return 0;
}
#endif
