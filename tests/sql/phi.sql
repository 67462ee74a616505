-- phi(time, peak, variance): its values, and what it refuses.
-- Weights are 0.4 for time, 0.2 for peak, 0.4 for variance, and epsilon 1e-6 MiB^2.

SELECT 'the paper''s example', round(phi(1.1, 1, 0.5), 3);

-- One per cent more of a measure raises phi by its weight in per cent.
SELECT 'time', round((phi(101, 7, 9) / phi(100, 7, 9) - 1) * 100, 2);
SELECT 'peak', round((phi(7, 101, 9) / phi(7, 100, 9) - 1) * 100, 2);
SELECT 'variance', round((phi(7, 9, 101) / phi(7, 9, 100) - 1) * 100, 2);

-- A variance of 0 does not make phi 0, so that time and peak still count.
SELECT 'variance 0', phi(1, 1, 0) > 0, phi(2, 1, 0) > phi(1, 1, 0), phi(1, 2, 0) > phi(1, 1, 0);
SELECT 'less variance is less phi', phi(1, 1, 0) < phi(1, 1, 1e-9), phi(1, 1, 1e-9) < phi(1, 1, 1);
SELECT 'no time', phi(0, 1, 1);

-- NULL in, NULL out.
SELECT 'null', phi(NULL, 1, 1) IS NULL, phi(1, NULL, 1) IS NULL, phi(1, 1, NULL) IS NULL,
       phi(1, 1, 1, NULL) IS NULL, phi(NULL, -1, 'x') IS NULL;

-- Whole numbers are numbers; huge and tiny ones stay finite.
SELECT 'integers', phi(2, 3, 5) = phi(2.0, 3.0, 5.0), typeof(phi(1, 1, 1));
SELECT 'huge', round(phi(1e308, 1e308, 1e308) / 1e308, 6), round(phi(1e-300, 1e-300, 1e300), 6) >= 0;
SELECT 'same on every call', count(DISTINCT phi(column1, 3, 5)) FROM (VALUES (2), (2.0), (2e0));

-- Refused: negative, infinite, text and blobs, each by its name.
SELECT phi(-1, 1, 1);
SELECT phi(1, -0.5, 1);
SELECT phi(1, 1, -1e-9);
SELECT phi(1, 1, 9e999);
SELECT phi(-9e999, 1, 1);
SELECT phi('1.1', 1, 0.5);
SELECT phi(1.1, 'one', 0.5);
SELECT phi(1.1, 1, x'3530');

-- As the message says: numbers that came in as text.
SELECT 'cast', round(phi(CAST('1.1' AS REAL), 1, CAST('0.5' AS REAL)), 3);
