package instrument

import (
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"

	"aburn/instrument/scan"
)

// entries are the files that package.json gives to others or starts: main, bin, exports. A built
// file stands for the source that it is likely made of. The file index.js is main by default.
func entries(root *os.Root) (list []string) {
	m, err := readManifest(root, ".")
	if err != nil {
		return nil
	}
	named := append([]string{m.Main}, append(texts(m.Bin), texts(m.Exports)...)...)
	if m.Main == "" && len(named) == 1 {
		named = []string{"index"}
	}
	for _, name := range named {
		if name == "" || strings.Contains(name, "*") {
			continue
		}
		name = path.Clean(name)
		for _, base := range []string{name, sourceOf(name)} {
			at := slices.IndexFunc(scan.Candidates(base), func(p string) bool { return isFileIn(root, p) })
			if at >= 0 && !slices.Contains(list, scan.Candidates(base)[at]) {
				list = append(list, scan.Candidates(base)[at])
			}
		}
	}
	return list
}

// sourceOf is src/index of dist/esm/index.js.
func sourceOf(name string) string {
	parts := strings.Split(strings.TrimSuffix(name, path.Ext(name)), "/")
	for len(parts) > 1 && slices.Contains([]string{"dist", "build", "lib", "out", "esm", "cjs"}, parts[0]) {
		parts = parts[1:]
	}
	return path.Join("src", path.Join(parts...))
}

// texts are all texts in a value of JSON.
func texts(raw json.RawMessage) (list []string) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, e := range v {
				add(e)
			}
		case map[string]any:
			for _, e := range v {
				add(e)
			}
		}
	}
	add(v)
	slices.Sort(list)
	return list
}
