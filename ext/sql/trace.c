/*
** memx_trace(job, config): one iteration as Chrome trace JSON, for ui.perfetto.dev or chrome://tracing
**
**   SELECT writefile('trace.json', memx_trace('mix20', 'tp1.dp2.mb1.seq4096/...'));
**
** core/trace.h says what is in it. NULL in, NULL out.
*/
#include "core/trace.h"

#include "sql/modules.h"
#include "sql/subject.h"
#include "sql/vtab.h"

SQLITE_EXTENSION_INIT3

void memx_trace_function(sqlite3_context *context, int argc, sqlite3_value **argv) {
    memx_subject subject;
    memx_timeline timeline = {0};
    memx_error error = {.text = ""};
    memx_text text = {0};
    if (memx_any_null(argc, argv)) return;
    memx_status status =
        memx_subject_open(context, "memx_trace", argv, false, NULL, &subject, &error);
    if (!status) {
        status = memx_timeline_open(&subject.priced, &subject.study->pricer, &timeline, &error);
    }
    if (!status) {
        status = memx_trace_write(&timeline, subject.study->pricer.name,
                                  memx_session_poll(subject.session), &text);
    }
    if (status) {
        memx_result_fail(context, status, &error);
        memx_text_free(&text);
    } else {
        memx_result_text(context, &text);
    }
    memx_timeline_close(&timeline);
    memx_subject_close(&subject);
}
