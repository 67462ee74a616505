-- Which configuration should we take, and why? A page for people: one HTML file, to read, mail or print.
--   sqlite3 -cmd '.load ./memx' build/demo.db <queries/report.sql >report.html
.mode list
SELECT memx_report('mix20');
