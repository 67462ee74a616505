/*
** A transformer's shape: how many parameters it has, and how many floating-point operations a token
** costs. GPT-2/3 and LLaMA families: grouped query attention, gated (SwiGLU) or plain MLP, tied or
** separate embeddings, linear biases, learned positions, RMSNorm or LayerNorm. Mixtral and DeepSeek
** families: layers whose MLP is a mixture of experts (arXiv:2101.03961, arXiv:2401.06066) from some layer
** on, and latent attention (arXiv:2405.04434 section 2.1).
**
** A layer of experts has a router (hidden x experts), `experts` gated MLPs of which a token uses
** experts_per_token, and shared_experts that every token uses: together they are one MLP of
** shared_experts * expert_ffn_hidden.
**
** Latent attention: the query is hidden x q_lora_rank, a norm, q_lora_rank x heads (nope + rope), or one
** matrix where it is not compressed; key and value are hidden x (kv_lora_rank + rope), a norm and
** kv_lora_rank x heads (nope + v); the output is heads v x hidden. Its down-projections and norms are
** on every tensor rank.
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
    int64_t experts;                  /* routed ones of a layer; 0: a dense model */
    int64_t experts_per_token;        /* top-k */
    int64_t expert_ffn_hidden;        /* of one */
    int64_t shared_experts;           /* that every token uses */
    int64_t dense_layers;             /* the first ones, without experts */
    int64_t q_lora_rank;              /* 0: the query is not compressed */
    int64_t kv_lora_rank;             /* 0: ordinary attention */
    int64_t qk_nope_dim, qk_rope_dim; /* of a head, with kv_lora_rank; head_dim is their sum */
    int64_t v_head_dim;
    bool gated_mlp;         /* SwiGLU: three matrices instead of two */
    bool tied_embeddings;   /* the output head is the embedding */
    bool biases;            /* every linear layer has a bias */
    bool qkv_biases;        /* only query, key and value have one (Qwen2) */
    bool learned_positions; /* a table of seq_length x hidden */
    bool layernorm;         /* two vectors a norm instead of RMSNorm's one */
} memx_model;

/* Layers are of two kinds; a dense model has the first alone. */
typedef enum memx_layer_kind { MEMX_DENSE, MEMX_EXPERTS } memx_layer_kind;

/* Layers of the model without experts: the first ones, or all. */
int64_t memx_dense_layers(const memx_model *model);

/* Parameters of one transformer layer, of a norm, of the token table (vocab rows; pass the padded
** vocabulary for what a GPU stores), and of the whole model as published (nothing padded).
** arXiv:2104.04473 eq. 2, generalised to grouped queries, gated MLPs, experts and latent attention. */
double memx_layer_parameters(const memx_model *model, memx_layer_kind kind);
double memx_norm_parameters(const memx_model *model);
double memx_model_parameters(const memx_model *model);

/* Those that a token uses: all but the routed experts that it is not sent to. For tests: model cards tell
** both. */
double memx_active_parameters(const memx_model *model);

/* The part of a layer's parameters that tensor parallelism alone splits (matrices and their
** column-parallel biases); its routed experts, which expert parallelism splits too; the rest is on
** every rank. */
double memx_layer_sharded_parameters(const memx_model *model, memx_layer_kind kind);
double memx_layer_expert_parameters(const memx_model *model, memx_layer_kind kind);

/* Columns of a layer's attention: of the query, of key and value together, and of what the output
** projection reads. */
double memx_query_columns(const memx_model *model);
double memx_kv_columns(const memx_model *model);
double memx_attention_columns(const memx_model *model);

/* Inner width of the MLP that every token uses: in a layer of experts that of its shared ones. */
double memx_mlp_columns(const memx_model *model, memx_layer_kind kind);

/* The vocabulary as Megatron-LM stores it: the next multiple of 128 * tp. */
int64_t memx_padded_vocab(const memx_model *model, int64_t tp);

/* Forward FLOPs per token of one layer's matrices, of its attention scores (full square, no causal
** discount: the convention of the MFU literature), and of the output head. Of routed experts a token
** computes experts_per_token. */
double memx_layer_matrix_flops(const memx_model *model, memx_layer_kind kind);
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
