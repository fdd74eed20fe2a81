#!/bin/bash
# builds the helper, trains, makes the page of results
cd "$(dirname "$0")"
echo "building libshift.so"
cc -O2 -shared -fPIC -o libshift.so shift.c
ls -l libshift.so
echo "training"
"$PYTHON" -u knots.py
echo "making the page"
{ echo "<h1>knots</h1>"; date; ls -l; } > page.html
wc -c page.html
echo "copying the page to the web folder"
mkdir -p www && cp page.html www/ && echo "done, see www/page.html"
