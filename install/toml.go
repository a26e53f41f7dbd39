package install

import (
	"strings"
)

// flatTOML reads the simple values of a TOML file: strings, booleans and numbers on one line, in tables, dotted keys
// and inline tables. A key is the path, joined by NUL. Arrays, dates and multi-line strings are left out. It serves
// to look up values that Codex wrote to config.toml, which aburn never writes.
func flatTOML(data string) map[string]string {
	out := map[string]string{}
	var table []string
	until := "" // the quotes that end a multi-line string
	for line := range strings.Lines(data) {
		line = strings.TrimSpace(line)
		if until != "" {
			if strings.Contains(line, until) {
				until = ""
			}
			continue
		}
		switch {
		case strings.HasPrefix(line, "[["):
			table = []string{"[[]]"} // arrays of tables are left out
		case strings.HasPrefix(line, "["):
			table, _ = tomlKey(line[1:])
		default:
			key, rest := tomlKey(line)
			value, ok := strings.CutPrefix(rest, "=")
			if !ok || len(key) == 0 {
				continue
			}
			value = strings.TrimSpace(value)
			if until = opensMultiline(value); until == "" {
				tomlValue(out, append(append([]string(nil), table...), key...), value)
			}
		}
	}
	return out
}

// opensMultiline returns the quotes of a multi-line string that value begins, or "".
func opensMultiline(value string) string {
	for _, quotes := range []string{`"""`, `'''`} {
		if rest, ok := strings.CutPrefix(value, quotes); ok && !strings.Contains(rest, quotes) {
			return quotes
		}
	}
	return ""
}

// tomlKey reads a dotted key and returns its parts and the rest.
func tomlKey(s string) (parts []string, rest string) {
	for {
		s = strings.TrimLeft(s, " \t")
		part, after, ok := tomlString(s)
		if !ok {
			n := strings.IndexFunc(s, func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
			})
			if n < 0 {
				n = len(s)
			}
			if n == 0 {
				return nil, s
			}
			part, after = s[:n], s[n:]
		}
		parts = append(parts, part)
		s = strings.TrimLeft(after, " \t")
		if !strings.HasPrefix(s, ".") {
			return parts, s
		}
		s = s[1:]
	}
}

// tomlString reads a basic or literal string on one line.
func tomlString(s string) (text, rest string, ok bool) {
	if s == "" {
		return "", s, false
	}
	switch s[0] {
	case '\'':
		text, rest, ok = strings.Cut(s[1:], "'")
		return text, rest, ok
	case '"':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				return unquote([]byte(s[:i+1])), s[i+1:], true
			}
		}
	}
	return "", s, false
}

// tomlValue stores the value under its key and returns the rest.
func tomlValue(out map[string]string, key []string, value string) (rest string) {
	if text, rest, ok := tomlString(value); ok {
		out[strings.Join(key, "\x00")] = text
		return rest
	}
	if strings.HasPrefix(value, "{") {
		return tomlInline(out, key, value[1:])
	}
	n := strings.IndexAny(value, " \t,}#")
	if n < 0 {
		n = len(value)
	}
	out[strings.Join(key, "\x00")] = value[:n]
	return value[n:]
}

func tomlInline(out map[string]string, table []string, s string) (rest string) {
	for {
		key, after := tomlKey(s)
		value, ok := strings.CutPrefix(after, "=")
		if !ok || len(key) == 0 {
			return strings.TrimPrefix(after, "}")
		}
		s = tomlValue(out, append(append([]string(nil), table...), key...), strings.TrimLeft(value, " \t"))
		s = strings.TrimLeft(strings.TrimLeft(s, " \t"), ",")
	}
}
