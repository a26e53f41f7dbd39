package record

import (
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/plain"
)

// chainValue returns the value at a gjson path in an answer's JSON, for scripts: a string without quotes
// and on one line, an output as its path, anything else as JSON. It reports whether there is such
// a value. here turns the path of one output into one that is usable where the caller stands; wt is
// the worktree of its entry. An error of here is returned.
func chainValue(json []byte, path string, here func(wt, output string) (string, error)) (value string, found bool, err error) {
	v := gjson.GetBytes(json, path)
	if !v.Exists() || v.Type == gjson.Null {
		return "", false, nil
	}
	entry, one := entryOfOutput(path)
	if p := v.Get("path"); v.IsObject() && p.Type == gjson.String && (one || v.Get("sha256").Exists() || v.Get("state").Exists()) {
		v, one = p, true
	}
	if one && v.Type == gjson.String {
		if v.Str, err = here(gjson.GetBytes(json, entry+"wt").Str, v.Str); err != nil {
			return "", true, err
		}
	}
	if v.Type != gjson.String {
		return string(plain.AppendJSON(nil, []byte(v.Raw))), true, nil
	}
	return plain.ModelLine(v.Str), true, nil
}

// entryOfOutput is the path of the entry, with its dot, whose outputs path asks about, as in outputs.0, data.outputs.0.path,
// commands.1.data.outputs.0. one says that it names one of them by its number.
func entryOfOutput(path string) (entry string, one bool) {
	path = strings.TrimSuffix(path, ".path")
	entry, number := "", path
	if i := strings.LastIndex(path, "outputs."); i >= 0 {
		entry, number = strings.TrimSuffix(path[:i], "data."), path[i+len("outputs."):]
	}
	one = number != path && number != "" && strings.Trim(number, "0123456789") == "" && (entry == "" || strings.HasSuffix(entry, "."))
	return entry, one
}
