package opencode

import "encoding/json"

// show is a value as JSON.
func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
