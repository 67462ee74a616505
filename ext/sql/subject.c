#include "sql/subject.h"

#include "sql/vtab.h"

SQLITE_EXTENSION_INIT3

memx_status memx_subject_open(sqlite3_context *context, const char *work, sqlite3_value **argv,
                              bool search, sqlite3_value *space, memx_subject *out,
                              memx_error *error) {
    const char *job = NULL, *config = NULL, *name = NULL;
    *out = (memx_subject){.session = sqlite3_user_data(context)};
    memx_session_enter(out->session, work);
    memx_status status = memx_argument_text(argv[0], "job", &job, error);
    if (!status) status = memx_argument_text(argv[1], "config", &config, error);
    if (!status && space) status = memx_argument_text(space, "space", &name, error);
    if (status) return status;
    status = memx_session_study(out->session, job, name, search, memx_session_poll(out->session),
                                &out->study, error);
    if (status) return status;
    return memx_session_priced(out->study, config, &out->priced, error);
}

void memx_subject_close(memx_subject *subject) {
    memx_priced_close(&subject->priced);
    memx_study_release(subject->study);
    memx_session_leave(subject->session);
}

bool memx_any_null(int argc, sqlite3_value **argv) {
    for (int i = 0; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return true;
    }
    return false;
}
