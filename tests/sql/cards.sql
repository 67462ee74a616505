-- nvidia_smi and rocm_smi: the nodes of a cluster from what lists its cards.
.headers on
SELECT * FROM nvidia_smi('index, name, memory.total [MiB]
0, NVIDIA A100-SXM4-80GB, 81920 MiB
1, NVIDIA A100-SXM4-80GB, 81920 MiB
');
SELECT * FROM nvidia_smi(CAST('81251, nvidia a100-sxm4-80gb, 0' || char(13, 10) || '81251, NVIDIA A100-SXM4-80GB, 1' AS BLOB));
-- Hosts of pdsh, in any order; two kinds in one of them; a device by its own name.
SELECT * FROM nvidia_smi('gpu10: 0, NVIDIA L4, 23034 MiB
gpu2: 0, NVIDIA GeForce RTX 4090, 24564 MiB
gpu2: 1, NVIDIA GeForce RTX 4090, 24564 MiB
gpu10: 1, Tesla T4, 15360 MiB
gpu10: 2, NVIDIA L4, 23034 MiB
gpu1: 0, RTX3090, 24576 MiB');
SELECT * FROM rocm_smi('{"card0": {"Card Series": "AMD Instinct MI300X", "Card Model": "0x74a1", "VRAM Total Memory (B)": "206141652992"},
 "card1": {"VRAM Total Memory (B)": "206141652992", "Card series": "AMD Instinct MI300X"}, "system": {"Driver version": "6.7"}}');
SELECT * FROM rocm_smi('n2: {"card0": {"Card series": "Arcturus GL-XL [AMD Instinct MI210]"}}
n1: {"card10": {"Card series": "MI210"}, "card9": {"Card series": "AMD Instinct MI210", "VRAM Total Memory (B)": "68702699520"}}
');
-- Either spelling of AMD's names; warnings before an object and behind it; objects over several lines, of hosts in turn.
SELECT d.device, n.device, n.gpus FROM memx_device AS d, (VALUES ('AMD Instinct '), ('Instinct '), ('')) AS brand,
    rocm_smi('{"card0": {"Card series": "' || brand.column1 || d.device || '"}}') AS n WHERE d.vendor = 'AMD';
SELECT * FROM rocm_smi('WARNING: AMD GPU device(s) is/are in a low-power state. Check power control/runtime_status

{"card0": {"Card series": "Instinct MI210"},
 "card1": {"Card series": "Instinct MI210"}}
WARNING: x');
SELECT * FROM rocm_smi('n1: WARNING: low-power state
n1: {"card0":
n2: {"card0": {"Card series": "AMD Instinct MI250X / MI250", "a": "}\"{"},
n1:   {"Card series": "Instinct MI300X"}
n2:  "card1": {"Card series": "AMD Instinct MI250X / MI250"}}
n1: }');
.headers off
-- Into a cluster, and a search on it.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('mine', 12.5);
INSERT INTO memx_node(cluster, ordinal, device, gpus)
SELECT 'mine', ordinal, device, gpus FROM nvidia_smi('a: 0, NVIDIA L4
a: 1, NVIDIA L4
b: 0, NVIDIA L40S
b: 1, NVIDIA L40S');
INSERT INTO memx_node(cluster, ordinal, device, gpus)
SELECT 'mine', (SELECT max(ordinal) + 1 FROM memx_node WHERE cluster = 'mine') + ordinal, device, gpus
FROM nvidia_smi('0, NVIDIA A100-SXM4-80GB' || char(10) || '1, NVIDIA A100-SXM4-80GB');
SELECT cluster, ordinal, device, gpus, link_gbs, inter_gbs FROM memx_node WHERE cluster = 'mine';
INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('mine', 'mine', 'llama3.2-1b', 64, 2048);
SELECT count(*) > 0 FROM memx_configs WHERE job = 'mine';

-- What is no list.
SELECT * FROM nvidia_smi;
SELECT * FROM nvidia_smi(NULL);
SELECT * FROM nvidia_smi('');
SELECT * FROM nvidia_smi('NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.');
SELECT * FROM nvidia_smi('index, name' || char(10) || '0, NVIDIA L4' || char(10) || '1, NVIDIA GeForce RTX 2080 Ti');
SELECT * FROM nvidia_smi('index, name' || char(10) || '0');
SELECT * FROM nvidia_smi('index, memory.total [MiB]');
SELECT * FROM nvidia_smi('name, memory.total [MiB]' || char(10) || 'NVIDIA L4, lots');
SELECT * FROM nvidia_smi(x'00ff0a');
SELECT * FROM nvidia_smi(x'fffe30');
SELECT * FROM rocm_smi;
SELECT * FROM rocm_smi(NULL);
SELECT * FROM rocm_smi('');
SELECT * FROM rocm_smi('{"card0": ');
SELECT * FROM rocm_smi('[1]');
SELECT * FROM rocm_smi('{"card0": {"Temperature": "40"}}');
SELECT * FROM rocm_smi('{"card0": 3}');
SELECT * FROM rocm_smi('a: {"card0": {"Card Series": "MI210"}}' || char(10) || 'b: ssh exited with exit code 255');
SELECT * FROM rocm_smi('{"card0": {"Card Series": "AMD Radeon 780M"}}');
SELECT * FROM rocm_smi('{"card0": {"Card Series": "x"}}' || char(0));
-- A host that says something else in place of its cards.
SELECT * FROM nvidia_smi('n1: NVIDIA L4, 23034 MiB
n2: NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver. Make sure that it is installed.');
SELECT * FROM nvidia_smi('n1: NVIDIA L4, 23034 MiB
n2: No devices were found');
SELECT * FROM nvidia_smi('n1: NVIDIA L4, 23034 MiB
pdsh@head: n2: ssh exited with exit code 255');
SELECT * FROM nvidia_smi('bash: line 1: nvidia-smi: command not found');
SELECT * FROM rocm_smi('n1: {"card0": {"Card Series": "MI210"}}
n2: bash: rocm-smi: command not found');
SELECT * FROM rocm_smi('WARNING: x');
