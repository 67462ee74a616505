/*
** A transformer's shape: how many parameters it has, and how many floating-point operations a token
** costs. GPT-2/3 and LLaMA families: grouped query attention, gated (SwiGLU) or plain MLP, tied or
** separate embeddings, linear biases, learned positions, RMSNorm or LayerNorm.
**
** Counts are doubles because they pass 2^53 only for models far beyond 10^15 parameters and are
** used in products of bytes and seconds. 1 multiply-add is 2 FLOPs.
*/
#ifndef MEMX_CORE_MODEL_H
#define MEMX_CORE_MODEL_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEMX_NAME_SIZE = 65 }; /* names hold 1 to 64 bytes */

typedef struct memx_model {
    char name[MEMX_NAME_SIZE];
    int64_t layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length;
    bool gated_mlp;         /* SwiGLU: three matrices instead of two */
    bool tied_embeddings;   /* the output head is the embedding */
    bool biases;            /* every linear layer has a bias */
    bool qkv_biases;        /* only query, key and value have one (Qwen2) */
    bool learned_positions; /* a table of seq_length x hidden */
    bool layernorm;         /* two vectors a norm instead of RMSNorm's one */
} memx_model;

/* Parameters of one transformer layer, of a norm, of the token table (vocab rows; pass the padded
** vocabulary for what a GPU stores), and of the whole model as published (nothing padded).
** arXiv:2104.04473 eq. 2, generalised to grouped queries and gated MLPs. */
double memx_layer_parameters(const memx_model *model);
double memx_norm_parameters(const memx_model *model);
double memx_model_parameters(const memx_model *model);

/* The part of a layer's parameters that tensor parallelism splits (matrices and their
** column-parallel biases); the rest is on every rank. */
double memx_layer_sharded_parameters(const memx_model *model);

/* The vocabulary as Megatron-LM stores it: the next multiple of 128 * tp. */
int64_t memx_padded_vocab(const memx_model *model, int64_t tp);

/* Forward FLOPs per token of one layer's matrices, of its attention scores (full square, no causal
** discount: the convention of the MFU literature), and of the output head. */
double memx_layer_matrix_flops(const memx_model *model);
double memx_layer_attention_flops(const memx_model *model);
double memx_head_flops(const memx_model *model, int64_t vocab);

/* Model FLOPs of forward and backward per token, recompute not counted: arXiv:2205.05198 eq. 7. */
double memx_model_flops(const memx_model *model);

/* Checks sizes and that heads, groups and dimensions go together. MEMX_INVALID with a message. */
memx_status memx_model_check(const memx_model *model, memx_error *error);

/* The same model trained at another sequence length, or with its query width cut into another
** number of heads and key-value groups. MEMX_INVALID when they do not divide. */
memx_status memx_model_vary(const memx_model *model, int64_t seq_length, int64_t heads,
                            int64_t kv_groups, memx_model *out, memx_error *error);

#endif
