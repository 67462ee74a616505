/*
** The virtual tables and function families of ext/sql, for the registration table in memx.c.
*/
#ifndef MEMX_SQL_MODULES_H
#define MEMX_SQL_MODULES_H

#include "sqlite3ext.h"

extern const sqlite3_module memx_configs_module;
extern const sqlite3_module memx_predict_module;
extern const sqlite3_module memx_stages_module;
extern const sqlite3_module memx_gpus_module;
extern const sqlite3_module memx_reference_module;
extern const sqlite3_module memx_why_module;
extern const sqlite3_module memx_cache_module;
extern const sqlite3_module memx_estimates_module;
extern const sqlite3_module memx_listing_module; /* a table for each listing, by its name */
extern const sqlite3_module protrain_configs_module;
extern const sqlite3_module protrain_blocks_module;
extern const sqlite3_module protrain_why_module;

void memx_phi_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_recompute_plan_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_recompute_plan_detail_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_layer_split_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_report_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_trace_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_train_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_calibrate_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_config_problem_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_stage_estimate_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void deepspeed_config_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_stage_flags_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_megatron_args_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_watch_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_init_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_views_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_version_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void memx_debug_function(sqlite3_context *context, int argc, sqlite3_value **argv);

#endif
