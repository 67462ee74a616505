-- What was ruled out of job ?1's own space, an example each.
SELECT reason, count, unit, example FROM memx_why(?1)
