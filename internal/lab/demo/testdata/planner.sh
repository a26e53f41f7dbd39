#!/bin/sh
# Answers as `claude -p` would, from a recording. It calls no model.
[ "$1" = --version ] && { echo recorded; exit 0; }
case $(cat) in
*'File "src/order.js"'*) plan='{"functions":[{"id":"f3","action":"span","span":"shop.order.place","tier":2,"reason":"the registry has this span","attributes":[{"key":"shop.order.id","expr":"order.id","at":"start"},{"key":"shop.order.total","expr":"sum","at":"after:12"}]}],"newSpans":[],"newAttributes":[{"key":"shop.order.total","type":"int","brief":"The sum of an order, in cents.","examples":["500"]}],"libraries":[],"notes":[]}' tokens=2100 ;;
*) plan='{"functions":[{"id":"f1","action":"span","span":"shop.ledger.append","tier":1,"reason":"it writes a file","attributes":[]}],"newSpans":[{"id":"shop.ledger.append","kind":"internal","brief":"Writes an entry to the ledger.","attributes":[]}],"newAttributes":[],"libraries":[],"notes":[]}' tokens=1900 ;;
esac
echo '{"is_error":false,"subtype":"success","structured_output":'"$plan"',"modelUsage":{"recorded":{"inputTokens":'$tokens',"outputTokens":180}}}'
