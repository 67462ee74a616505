-- The MemX paper's table 1, two servers X and Y: split by memory, 8 layers on X and 24 on Y, X takes 41 %
-- of Y's time and idles for the other 59 %. Nothing is recomputed, and it fits.

SELECT stage, device, gpus, layers, recompute, in_flight, round(idle, 2) AS idle, headroom > 0.1 AS fits
    FROM memx_stages('xy', 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none');

SELECT 'share of time', round(min(time_ms) / max(time_ms), 2)
    FROM memx_stages('xy', 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none');

-- It is a row of the free space, and far from the fastest.
SELECT 'in the free space', count(*), min(slowdown) > 1.2 FROM memx_configs
    WHERE job = 'xy' AND space = 'free' AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none';

-- Splitting by the rate that the devices reach is what helps: the fastest of the same degrees gives X
-- more layers than a quarter, and idles less.
SELECT 'better', CAST(layers AS INTEGER) > 8, slowdown < 1.2, bubble < 0.2 FROM memx_configs
    WHERE job = 'xy' AND tp = 1 AND pp = 2 AND micro_batch = 1 AND devices = 'X-32GB,Y-64GB'
    ORDER BY iteration_ms LIMIT 1;
