package guard

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// maxInput bounds the input of a call that is read, in bytes.
const maxInput = 4 << 20

// NewCall makes a call of what its agent gives to a hook and writes into its session: the tool's name, what kind of tool that
// is, and the input as JSON. dir is the working directory. The recorded call and the living one are read here alike.
func NewCall(tool string, kind Kind, input []byte, dir string) *Call {
	c := &Call{Tool: tool, Kind: kind, Dir: dir}
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		c.Kind = MCP
		c.Server, _, _ = strings.Cut(rest, "__")
	}
	if len(input) > maxInput {
		c.Cut = "the input is larger than 4 MiB"
		return c
	}
	var in map[string]json.RawMessage
	if json.Unmarshal(input, &in) != nil {
		var text string
		if json.Unmarshal(input, &text) != nil {
			text = string(input)
		}
		c.fromText(text)
		return c
	}
	switch c.Kind {
	case Shell:
		c.shell(in)
	case ReadKind, Edit, Search:
		c.files(in)
	case Web:
		c.URL = text(in, "url", "uri")
	}
	return c
}

// fromText reads an input that is no object: a patch, or the beginning of a command.
func (c *Call) fromText(text string) {
	switch {
	case c.Kind == Shell:
		c.Command = text
	case strings.HasPrefix(strings.TrimSpace(text), "*** Begin Patch"):
		c.Kind, c.Paths = Edit, patched(text)
	case len(text) > 0:
		c.Cut = "the input is in a form that aburn does not know"
	}
}

func (c *Call) shell(in map[string]json.RawMessage) {
	for _, key := range [...]string{"command", "cmd", "script"} {
		raw := in[key]
		var line string
		var argv []string
		switch {
		case raw == nil:
			continue
		case json.Unmarshal(raw, &line) == nil:
			c.Command = line
		case json.Unmarshal(raw, &argv) == nil:
			c.Command = argvLine(argv)
		}
		break
	}
	if strings.HasPrefix(strings.TrimSpace(c.Command), "*** Begin Patch") {
		c.Kind, c.Paths, c.Command = Edit, patched(c.Command), ""
		return
	}
	if dir := text(in, "workdir", "cwd", "directory"); dir != "" && path.IsAbs(dir) {
		c.Dir = dir
	}
}

// argvLine is a shell text that starts a program with these arguments.
func argvLine(argv []string) string {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

func (c *Call) files(in map[string]json.RawMessage) {
	for _, key := range [...]string{"file_path", "notebook_path", "absolute_path", "dir_path", "path", "filePath", "file"} {
		if p := text(in, key); p != "" {
			c.Paths = append(c.Paths, p)
		}
	}
	var list []string
	if json.Unmarshal(in["paths"], &list) == nil {
		c.Paths = append(c.Paths, list...)
	}
	if len(c.Paths) == 0 {
		for _, key := range [...]string{"command", "input", "patch"} {
			if p := text(in, key); strings.Contains(p, "*** ") {
				c.Paths = patched(p)
				break
			}
		}
	}
}

// patched are the files that a patch names.
func patched(patch string) (list []string) {
	for line := range strings.Lines(patch) {
		for _, verb := range [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(line, verb); ok {
				if name = strings.TrimSpace(name); !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
		}
	}
	return list
}

func text(in map[string]json.RawMessage, keys ...string) (s string) {
	for _, key := range keys {
		if json.Unmarshal(in[key], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}
