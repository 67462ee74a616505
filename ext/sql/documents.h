/*
** What C does for the listings that read what others wrote: it makes of their arguments a JSON text for the
** SELECTs under schema/readers. The first argument of each is the document: text, or the bytes that
** readfile() gives. NULL, which readfile() gives where there is no file, is refused.
*/
#ifndef MEMX_SQL_DOCUMENTS_H
#define MEMX_SQL_DOCUMENTS_H

#include "sql/session.h"

/* megatron_log(text [, job [, nodes]]) and megatron_log_gpus(text): {"runs": [...], "job", "notes",
** "noted"}, how many notes there are. */
memx_status memx_log_document(memx_session *session, sqlite3_value *const *arguments,
                              memx_text *out, memx_error *error);

/* hf_config(json [, name]): {"form", "text", "name"}. */
memx_status memx_hf_document(memx_session *session, sqlite3_value *const *arguments, memx_text *out,
                             memx_error *error);

/* nvidia_smi(csv), rocm_smi(json): nodes, as memx_card_list_nodes writes them. */
memx_status memx_nvidia_document(memx_session *session, sqlite3_value *const *arguments,
                                 memx_text *out, memx_error *error);
memx_status memx_rocm_document(memx_session *session, sqlite3_value *const *arguments,
                               memx_text *out, memx_error *error);

#endif
