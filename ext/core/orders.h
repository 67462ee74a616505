/*
** Device orders: the sequences of a cluster's nodes along which a pipeline's stages may be laid.
**
**   types   nodes of a type together, by ordinal; every order of the types
**   nodes   every distinct order of the nodes, equal ones being interchangeable
**   given   one, by ordinal
**
** All of them where there are no more than MEMX_MOST_ORDERS. Beyond that types gives MEMX_NEAR_ORDERS:
** the types as given, by falling and rising memory, by falling and rising rate, and what neighbours
** exchanged make of these, nearest first; nodes gives those of types, and the given order.
*/
#ifndef MEMX_CORE_ORDERS_H
#define MEMX_CORE_ORDERS_H

#include "core/job.h"
#include "core/space.h"

enum { MEMX_MOST_ORDERS = 5040, MEMX_NEAR_ORDERS = 120 };

typedef struct memx_orders {
    int32_t *nodes; /* [order][node]: numbers in the job's list */
    size_t count;
    double all; /* how many there are; INFINITY above 10^308 */
} memx_orders;

/* "120 of 40320 device orders". */
enum { MEMX_ORDERS_TEXT = 80 };
void memx_orders_text(double taken, double all, char out[MEMX_ORDERS_TEXT]);

memx_status memx_orders_open(const memx_job *job, memx_device_order kind, const memx_poll *poll,
                             memx_orders *out);
void memx_orders_close(memx_orders *orders);

#endif
