-- phi(time, peak, variance, weights): shipped names, JSON arrays, and a user's own rows.

SELECT 'default', round(phi(1.1, 1, 0.5), 3) = round(phi(1.1, 1, 0.5, 'default'), 3);
SELECT 'safe', round(phi(2, 1, 1, 'safe'), 4) AS "2^0.3", round(phi(1, 2, 1, 'safe'), 4) AS "2^0.5",
       round(phi(1, 1, 2, 'safe'), 4) AS "2^0.2";
SELECT 'throughput', round(phi(2, 1, 1, 'throughput'), 4) AS "2^0.7",
       round(phi(1, 2, 1, 'throughput'), 4) AS "2^0.2", round(phi(1, 1, 2, 'throughput'), 4) AS "2^0.1";

-- An array of three numbers that add up to 1, and epsilon as a fourth.
SELECT 'time alone', phi(2, 3, 5, '[1, 0, 0]');
SELECT 'peak alone', phi(2, 3, 5, '[0, 1, 0]');
SELECT 'variance alone', round(phi(2, 3, 5, '[0, 0, 1]'), 5);
SELECT 'with epsilon', phi(2, 3, 5, '[0, 0, 1, 4]');
SELECT 'spaces', phi(2, 3, 5, ' [ 1 , 0 , 0 ] ');
SELECT 'not quite 1 in binary', phi(1, 1, 1, '[0.1, 0.2, 0.7]') > 1;

SELECT phi(1, 1, 1, '[1, 0]');
SELECT phi(1, 1, 1, '[1, 0, 0, 1, 1]');
SELECT phi(1, 1, 1, '[]');
SELECT phi(1, 1, 1, '[1, 0, 0');
SELECT phi(1, 1, 1, '["1", 0, 0]');
SELECT phi(1, 1, 1, '[null, 0, 1]');
SELECT phi(1, 1, 1, '[[1, 0, 0]]');
SELECT phi(1, 1, 1, '{"time": 1}');
SELECT phi(1, 1, 1, '[0.5, 0.5, 0.5]');
SELECT phi(1, 1, 1, '[1.5, -0.5, 0]');
SELECT phi(1, 1, 1, '[0.4, 0.2, 0.4, 0]');
SELECT phi(1, 1, 1, '[0.4, 0.2, 0.4, -1]');
SELECT phi(1, 1, 1, '[9e999, 0, 0]');
SELECT phi(1, 1, 1, 7);
SELECT phi(1, 1, 1, x'73616665');

-- Names are exact; an unknown one lists the known ones.
SELECT phi(1, 1, 1, 'balanced');
SELECT phi(1, 1, 1, 'Safe');
SELECT phi(1, 1, 1, '');

-- A user's own weights: a row of memx_weights. The shipped names cannot be taken.
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('fast', 0.9, 0.1, 0);
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance, epsilon) VALUES ('even', 0, 0, 1, 16);
SELECT 'fast', round(phi(2, 1, 1, 'fast'), 4) AS "2^0.9", phi(1, 1, 0, 'fast');
SELECT 'even', phi(7, 7, 9, 'even');
SELECT phi(1, 1, 1, 'balanced');
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('default', 1, 0, 0);
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('Safe', 1, 0, 0);
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('half', 0.5, 0, 0);
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('text', 'much', 0, 0);
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance, epsilon) VALUES ('zero', 1, 0, 0, 0);
SELECT 'stored', weights FROM memx_weights ORDER BY weights;

-- The same in the column phi, by name or array; another weight is another order.
SELECT 'in memx_configs', (SELECT min(phi) FROM memx_configs WHERE job = 'lab6' AND weights = 'fast')
       = (SELECT min(phi) FROM memx_configs WHERE job = 'lab6' AND weights = '[0.9, 0.1, 0]');
SELECT 'time alone is slowdown', count(*) FROM memx_configs
    WHERE job = 'lab6' AND weights = '[1, 0, 0]'
          AND abs(phi / slowdown - (SELECT fastest_ms / iteration_ms FROM memx_reference('lab6'))) > 1e-9;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND weights = 'balanced';
