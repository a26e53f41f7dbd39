package settings

import (
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/project"
)

// Changes lists what the project's settings file says otherwise than the one that `aburn init` writes, as KEY = VALUE in the file's order. It is
// for the person who decides whether to trust the project. Values are raw JSON, and neither checked nor cut.
func Changes(p *project.Project) []string {
	oss, err := p.OpenOss()
	if err != nil {
		return nil
	}
	defer oss.Close()
	data, err := readRoot(oss, File)
	if err != nil || nesting(string(data)) > maxNesting || !gjson.ValidBytes(data) {
		return nil // it will not be read either
	}
	same := make(map[string]bool)
	flatten("", gjson.Parse(initial), func(line string) { same[line] = true })
	var all []string
	flatten("", gjson.ParseBytes(data), func(line string) {
		if !same[line] {
			all = append(all, line)
		}
	})
	return all
}

// flatten calls each with every value that is no object. Keys may be nested or written with dots.
func flatten(prefix string, object gjson.Result, each func(line string)) {
	object.ForEach(func(k, v gjson.Result) bool {
		switch key := prefix + k.Str; {
		case strings.HasPrefix(k.Str, "//"):
		case v.IsObject():
			flatten(key+".", v, each)
		default:
			each(key + " = " + v.Raw)
		}
		return true
	})
}
