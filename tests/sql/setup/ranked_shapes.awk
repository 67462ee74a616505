# Makes the INSERTs of ranked_shapes.txt, which says what its lines are.
/^#/ || NF == 0 { next }
/^\? / {
    name = substr($0, 3)
    query = "SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE " name " ORDER BY ~phi LIMIT 3)"
}
!/^\? / {
    name = substr($0, 1, index($0, ": ") - 1)
    query = substr($0, index($0, ": ") + 2)
    if (query !~ /^(SELECT|WITH|\()/) query = "SELECT x FROM t " query
}
{
    if (query !~ /^\(/) query = "(SELECT group_concat(x, ';') FROM (" query "))"
    ranked = sorted = query
    gsub(/~/, "", ranked)
    gsub(/~/, "+", sorted)
    gsub(/'/, "''", name)
    print "INSERT INTO seen(shape, ranked, sorted) VALUES ('" name "', " ranked ", " sorted ");"
}
