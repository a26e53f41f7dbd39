package excerpt

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/jsonl"
	"aburn/internal/plain"
)

// member is a member of an object.
type member struct {
	name, value string
	raw         []byte // of a value that is no string
}

// members are those of a JSON object in their order; nil if it is none.
func members(raw []byte) (list []member) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return nil
	}
	jsonl.Members(raw, func(key, value []byte) bool {
		m := member{name: jsonl.Text(slices.Concat([]byte{'"'}, key, []byte{'"'}))}
		if value[0] == '"' {
			m.value = jsonl.Text(value)
		} else {
			m.raw, m.value = value, string(value)
		}
		list = append(list, m)
		return true
	})
	return list
}

// Input shows the input of a call. said are values that are shown already, for example the path.
//
// A name can say that its value is a secret, so the input is scrubbed as a whole before its members are. Where that breaks its
// form, it is shown as it is then.
func (s *Scrubber) Input(raw []byte, l Limits, said ...string) []Block {
	if text := jsonText(raw); text != nil { // the input is in a string
		raw = text
	}
	clean, n := s.memory.Text(string(raw))
	list := members(raw)
	language := ""
	for _, m := range list {
		if slices.Contains(pathMembers, m.name) {
			language = LanguageOf(m.value)
		}
	}
	if n > 0 {
		list = members([]byte(clean))
	}
	if list == nil {
		return s.Code("", raw, l)
	}
	var blocks []Block
	short := ""
	for i, m := range list {
		switch {
		case isSaid(m.value, said), isReplacement(list, i) < 0:
		case isReplacement(list, i) > 0:
			b := s.code("", replacement(m.value, valueOf(list, replacementOf(m.name))), l)
			b.Patch, b.Language = true, language
			b.Head, b.Tail = again(b.Head, l), again(b.Tail, l)
			blocks = append(blocks, b)
		case m.raw != nil && bytes.Contains(m.raw, []byte(`\n`)):
			for _, leaf := range leaves(m.name, m.raw, nil) {
				if strings.Contains(leaf.value, "\n") {
					blocks = append(blocks, s.code(leaf.name, leaf.value, l))
				} else {
					short += leaf.name + ": " + leaf.value + "\n"
				}
			}
		case m.raw != nil && len(m.value) > 60, strings.Contains(m.value, "\n"), len(m.value) > 120:
			value := m.value
			if m.raw != nil {
				value = indented(m.raw)
			}
			b := s.code(m.name, value, l)
			switch m.name {
			case "content", "file_text":
				b.Language = language
			case "command", "cmd":
				b.Language = "sh"
			}
			blocks = append(blocks, b)
		default:
			short += m.name + ": " + m.value + "\n"
		}
	}
	if short != "" {
		blocks = append([]Block{s.code("", short, l)}, blocks...)
	}
	return blocks
}

// pathMembers are the names of a file's path, as tools name it.
var pathMembers = []string{"file_path", "filePath", "path", "file"}

// mostLeaves bounds what is shown of a nested value.
const mostLeaves = 60

// leaves are the values within an object or a list that are neither, by the names that lead to them.
func leaves(name string, raw []byte, list []member) []member {
	add := func(at string, value []byte) bool {
		switch {
		case len(list) >= mostLeaves:
		case value[0] == '"':
			list = append(list, member{name: at, value: jsonl.Text(value)})
		case value[0] == '{', value[0] == '[':
			list = leaves(at, value, list)
		default:
			list = append(list, member{name: at, value: string(value)})
		}
		return len(list) < mostLeaves
	}
	if raw[0] == '{' {
		jsonl.Members(raw, func(key, value []byte) bool {
			return add(name+" "+jsonl.Text(slices.Concat([]byte{'"'}, key, []byte{'"'})), value)
		})
		return list
	}
	n := 0
	jsonl.Elements(raw, func(value []byte) bool {
		n++
		return add(name+" "+strconv.Itoa(n), value)
	})
	return list
}

// isSaid reports whether a value is shown already, or is a path of which the end is.
func isSaid(value string, said []string) bool {
	for _, s := range said {
		if s != "" && (value == s || strings.HasSuffix(value, "/"+s)) {
			return true
		}
	}
	return false
}

// again is lines with the kinds of a patch.
func again(lines []Line, l Limits) []Line {
	var all []string
	for _, line := range lines {
		all = append(all, strings.Split(line.Text, "\n")...)
	}
	return runs(all, true, l)
}

// isReplacement is 1 for the member with the text that is replaced, -1 for that with the new one, else 0.
func isReplacement(list []member, i int) int {
	for _, pair := range replaced {
		switch {
		case list[i].name == pair[0] && slices.ContainsFunc(list, func(m member) bool { return m.name == pair[1] }):
			return 1
		case list[i].name == pair[1] && slices.ContainsFunc(list, func(m member) bool { return m.name == pair[0] }):
			return -1
		}
	}
	return 0
}

func replacementOf(name string) string {
	for _, pair := range replaced {
		if pair[0] == name {
			return pair[1]
		}
	}
	return ""
}

func valueOf(list []member, name string) string {
	for _, m := range list {
		if m.name == name {
			return m.value
		}
	}
	return ""
}

// jsonText is the text of a JSON string, nil if raw is none.
func jsonText(raw []byte) []byte {
	if raw = bytes.TrimSpace(raw); len(raw) < 2 || raw[0] != '"' || !json.Valid(raw) {
		return nil
	}
	return jsonl.AppendText([]byte{}, raw)
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// unshown are members of records that no page shows: signatures, and what only the provider can read.
var unshown = []string{"signature", "thoughtSignature", "thought_signature", "encrypted_content", "data"}

// Record shows a whole record, in lines.
func (s *Scrubber) Record(raw []byte, l Limits) []Block {
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return s.Code("", raw, l)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(without(value)) != nil {
		return s.Code("", raw, l)
	}
	return In("record.json", s.Code("", b.Bytes(), l))
}

// without is a value without what no page shows.
func without(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, x := range v {
			if text, ok := x.(string); ok && len(text) > 40 && slices.Contains(unshown, name) {
				v[name] = "(" + plain.Size(int64(len(text))) + ", not shown)"
				continue
			} else if kind := binary(text); kind != "" {
				v[name] = kind
				continue
			}
			v[name] = without(x)
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return value
}
