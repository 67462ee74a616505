#!/usr/bin/env bash
# Chromium shows the report of mix20 and of lab6 on a phone (390 px) and on a desk (1200 px), by day and by
# night: no page is wider than its window, and each leaves a picture. The page is put into a frame of that
# width, which the wrapper around it can measure.
set -euo pipefail
chromium=
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && chromium=$name && break
done
[ -n "$chromium" ] || { echo "no chromium"; exit 77; }

browser() { # ARGUMENT...
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$TMP_DIR/profile" --window-size=1200,2000 "$@" 2>"$TMP_DIR/errors"
}

# In some containers it is there and does not start.
echo '<!DOCTYPE html><html><title>it runs</title></html>' >"$TMP_DIR/probe.html"
browser --dump-dom "file://$TMP_DIR/probe.html" >"$TMP_DIR/probe" || true
grep -q 'it runs' "$TMP_DIR/probe" || { echo "chromium does not start here: $(head -n 1 "$TMP_DIR/errors")"; exit 77; }

bad=0
for job in mix20 lab6; do
    $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$DEMO_DB" "SELECT memx_report('$job')" |
        sed -e 's/&/\&amp;/g' -e 's/"/\&quot;/g' >"$TMP_DIR/$job"
    for width in 390 1200; do
        for scheme in light dark; do
            page=$TMP_DIR/$job-$width-$scheme
            {
                echo "<!DOCTYPE html><html style=\"color-scheme: $scheme\"><title>not yet</title><body style=\"margin: 0\">"
                echo "<iframe width=\"$width\" height=\"2000\" style=\"border: 0; color-scheme: $scheme\" srcdoc=\""
                cat "$TMP_DIR/$job"
                echo '" onload="var d = this.contentDocument.documentElement, w = this.contentWindow; document.title = ['
                echo 'd.scrollWidth <= w.innerWidth, w.innerWidth, w.matchMedia(&quot;(prefers-color-scheme: dark)&quot;).matches,'
                echo 'd.querySelectorAll(&quot;svg[role=img]&quot;).length > 3].join(&quot; &quot;)"></iframe></body></html>'
            } >"$page.html"
            preferred=1
            [ $scheme = light ] || preferred=0
            found=$(browser --blink-settings=preferredColorScheme=$preferred --dump-dom "file://$page.html" |
                sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' | head -n 1)
            [ $scheme = light ] && wanted="true $width false true" || wanted="true $width true true"
            if [ "$found" != "$wanted" ]; then
                echo "$job, $width px, $scheme: '$found', wanted '$wanted'"
                cat "$TMP_DIR/errors"
                bad=1
            fi
            browser --blink-settings=preferredColorScheme=$preferred --screenshot="$page.png" "file://$page.html"
            # A page of one colour makes a PNG of some kilobytes.
            bytes=$(wc -c <"$page.png" || echo 0)
            [ "$bytes" -gt 30000 ] || { echo "$job, $width px, $scheme: a picture of $bytes bytes"; bad=1; }
        done
    done
done
exit $bad
