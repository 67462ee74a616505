/*
** What nvidia-smi and its like list: one line per card, of one host or of many, and the nodes that
** these make.
**
**   index, name, memory.total [MiB]             node3: 0, NVIDIA A100-SXM4-80GB, 81920 MiB
**   0, NVIDIA A100-SXM4-80GB, 81920 MiB         node3: 1, NVIDIA A100-SXM4-80GB, 81920 MiB
**
** Columns in any order, with a header or without one, with units or without. `host: ` before a line, as pdsh
** and clush write it, names the host.
*/
#ifndef MEMX_CORE_CARD_LIST_H
#define MEMX_CORE_CARD_LIST_H

#include "core/lines.h"
#include "core/model.h"
#include "core/text.h"

typedef struct memx_listed_card {
    char host[MEMX_NAME_SIZE];   /* "": not named */
    char name[MEMX_NAME_SIZE];   /* as listed */
    char device[MEMX_NAME_SIZE]; /* of the catalog; "" until it is looked up */
    double memory_mib;           /* NAN: not listed */
    int64_t line;
    size_t place; /* in the list */
} memx_listed_card;

typedef struct memx_card_list {
    memx_listed_card *cards;
    size_t count, capacity;
} memx_card_list;

/* Adds one; a name or host that is too long is refused. */
memx_status memx_card_list_add(memx_card_list *cards, memx_span host, memx_span name,
                               double memory_mib, int64_t line, memx_error *error);
void memx_card_list_free(memx_card_list *cards);

/* Takes "host: " off a line; an empty span where there is none. */
memx_span memx_take_host(memx_span *line);

/* MEMX_INVALID: what a host says in place of its cards. */
memx_status memx_no_card(memx_span host, memx_span said, int64_t line, memx_error *error);

/* `nvidia-smi --query-gpu=name,memory.total --format=csv`. MEMX_INVALID names the line. What was read must
** be freed also then. */
memx_status memx_nvidia_smi_read(memx_span text, memx_card_list *out, memx_error *error);

/* A JSON array of nodes, [ordinal, device, gpus, memory_mib, name, host]: hosts by name, numbers in it by
** their value, and a host's cards by device, since a node has one kind. */
void memx_card_list_nodes(memx_card_list *cards, memx_text *out);

#endif
