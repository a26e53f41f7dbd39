package codex

import (
	"github.com/tidwall/gjson"

	"aburn/hooks"
)

// How much of a transcript's end is read, in bytes. The short tail is nearly always
// enough: a call's result is the last record when its hook runs.
const (
	shortTail = 64 << 10
	longTail  = 1 << 20
)

// lastItem finds the completed item with this id near a transcript's end.
func lastItem(path, id string) gjson.Result {
	for _, max := range []int64{shortTail, longTail} {
		b, more := hooks.TailOf(path, max)
		if item := completedItem(b, id); item.Exists() {
			return item
		}
		if !more {
			break
		}
	}
	return gjson.Result{}
}

// completedItem is the last item_completed record of id.
func completedItem(b []byte, id string) gjson.Result {
	return hooks.LastRecord(b, id, func(record gjson.Result) gjson.Result {
		payload := record.Get("payload")
		if item := payload.Get("item"); payload.Get("type").Str == "item_completed" && item.Get("id").Str == id {
			return item
		}
		return gjson.Result{}
	})
}

// callOutput is the call's result as the model got it.
func callOutput(b []byte, id string) gjson.Result {
	return hooks.LastRecord(b, id, func(record gjson.Result) gjson.Result {
		payload := record.Get("payload")
		switch payload.Get("type").Str {
		case "function_call_output", "custom_tool_call_output":
			if payload.Get("call_id").Str == id {
				return payload.Get("output")
			}
		}
		return gjson.Result{}
	})
}
