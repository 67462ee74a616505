-- How large is each shipped space for each job of the demo? Feasible configurations, exact, and how the
-- medians behind phi are found there: from all of them, or from a uniform sample.
SELECT space,
       max(CASE job WHEN 'mix20' THEN feasible_exact END) AS mix20,
       max(CASE job WHEN 'lab6' THEN feasible_exact END) AS lab6,
       max(CASE job WHEN 'xy' THEN feasible_exact END) AS xy,
       group_concat(DISTINCT method) AS method
FROM (SELECT s.space, j.job, r.feasible_exact, r.method
      FROM (SELECT DISTINCT space FROM memx_space) AS s CROSS JOIN memx_job AS j
      CROSS JOIN memx_reference(j.job, s.space) AS r
      ORDER BY s.space, j.job)
GROUP BY space ORDER BY space;
