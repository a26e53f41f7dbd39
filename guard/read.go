package guard

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"aburn/internal/plain"
)

// The bounds of a file of rules.
const (
	maxFile  = 256 << 10 // bytes
	maxRules = 500
)

// ReadFile reads a file of rules. A missing one is an error of fs.
func ReadFile(path string) ([]Rule, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would block
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadOpen(path, f)
}

// ReadOpen reads the rules of an open file that people know by this name.
func ReadOpen(name string, f *os.File) ([]Rule, error) {
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, &Problem{File: name, Text: "is no regular file"})
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	return Read(name, b)
}

// Read reads rules.
func Read(name string, text []byte) ([]Rule, error) {
	r := &reader{file: name}
	if len(text) > maxFile {
		return nil, r.problem(nil, "is larger than 256 KiB", "split it, or delete rules that you don't use")
	}
	var root yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	if err := dec.Decode(&root); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, r.syntax(err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, r.problem(nil, "has more than one YAML document", "")
	}
	var rules []Rule
	err := r.members(root.Content[0], map[string]field{
		"rules": func(n *yaml.Node) error {
			return r.list(n, func(n *yaml.Node) error {
				rule, err := r.rule(n)
				if rules = append(rules, rule); err == nil && len(rules) > maxRules {
					return r.problem(n, "has more than "+strconv.Itoa(maxRules)+" rules", "")
				}
				return err
			})
		},
	})
	if err != nil {
		return nil, err
	}
	lines := map[string]int{}
	for _, rule := range rules {
		if first := lines[rule.Name]; first > 0 {
			return nil, &Problem{File: name, Line: rule.Line, Text: "two rules are called " + rule.Name + " (the other is in line " + strconv.Itoa(first) + ")"}
		}
		lines[rule.Name] = rule.Line
	}
	return rules, nil
}

type reader struct{ file string }

// field reads the value of a key.
type field func(n *yaml.Node) error

func (r *reader) problem(n *yaml.Node, text, fix string) error {
	p := &Problem{File: r.file, Text: text, Fix: fix}
	if n != nil {
		p.Line = n.Line
	}
	return p
}

// syntax is a YAML error with its line.
func (r *reader) syntax(err error) error {
	p := &Problem{File: r.file, Line: 1, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if rest, ok := strings.CutPrefix(p.Text, "line "); ok {
		if n, after, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(n); err == nil {
				p.Line, p.Text = line, after
			}
		}
	}
	return p
}

// members reads a mapping. A key that is none of fields is a mistake.
func (r *reader) members(n *yaml.Node, fields map[string]field) error {
	if n.Kind == yaml.AliasNode {
		return r.problem(n, "aliases are not allowed", "write the value out")
	}
	if n.Kind != yaml.MappingNode {
		return r.problem(n, "should be a mapping of keys to values", "")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := fields[key.Value]
		if !ok {
			fix := ""
			if near := plain.Nearest(key.Value, slices.Sorted(maps.Keys(fields))); near != "" {
				fix = "did you mean " + near + "?"
			}
			return r.problem(key, plain.Line(strconv.Quote(key.Value))+" is not a key here", fix)
		}
		if seen[key.Value] {
			return r.problem(key, key.Value+" appears twice", "")
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) list(n *yaml.Node, each field) error {
	if n.Kind != yaml.SequenceNode {
		return r.problem(n, "should be a list", "")
	}
	for _, c := range n.Content {
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}

// text reads a string of one line.
func (r *reader) text(to *string) field {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return r.problem(n, "should be a text", "")
		}
		*to = strings.TrimSpace(n.Value)
		return nil
	}
}

// texts reads one string or a list of them. check, if not nil, says what is wrong with one and what to write instead.
func (r *reader) texts(to *[]string, check func(string) (wrong, fix string)) field {
	one := func(n *yaml.Node) error {
		s := ""
		if err := r.text(&s)(n); err != nil {
			return err
		}
		if s == "" {
			return r.problem(n, "is empty", "")
		}
		if check != nil {
			if wrong, fix := check(s); wrong != "" {
				return r.problem(n, wrong, fix)
			}
		}
		*to = append(*to, s)
		return nil
	}
	return func(n *yaml.Node) error {
		if n.Kind == yaml.SequenceNode {
			return r.list(n, one)
		}
		return one(n)
	}
}

func (r *reader) truth(to **bool) field {
	return func(n *yaml.Node) error {
		if n.Tag != "!!bool" {
			return r.problem(n, "should be true or false", "")
		}
		v := n.Value == "true" || n.Value == "True" || n.Value == "TRUE"
		*to = &v
		return nil
	}
}

func (r *reader) number(to *int) field {
	return func(n *yaml.Node) error {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < 1 {
			return r.problem(n, "should be a number above 0", "")
		}
		*to = v
		return nil
	}
}

// word reads one of the words.
func (r *reader) word(to *string, words ...string) field {
	return func(n *yaml.Node) error {
		if err := r.text(to)(n); err != nil {
			return err
		}
		if slices.Contains(words, *to) {
			return nil
		}
		return r.problem(n, strconv.Quote(plain.Line(*to))+" is none of "+strings.Join(words, ", "), didYouMean(*to, words))
	}
}

func didYouMean(word string, words []string) string {
	if near := plain.Nearest(word, words); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

func (r *reader) rule(n *yaml.Node) (Rule, error) {
	rule := Rule{File: r.file, Line: n.Line}
	do, opaque := "", "ignore"
	err := r.members(n, map[string]field{
		"name": r.text(&rule.Name), "why": r.text(&rule.Why), "say": r.text(&rule.Say),
		"when": r.conditions(&rule.When), "except": r.conditions(&rule.Not),
		"opaque": r.word(&opaque, "ignore", "match"),
		"do": func(n *yaml.Node) error {
			if text, ok := later[n.Value]; ok {
				return r.problem(n, n.Value+" is not possible in this version", text)
			}
			words := make([]string, 0, len(Actions()))
			for _, a := range Actions() {
				words = append(words, string(a))
			}
			return r.word(&do, words...)(n)
		},
	})
	if err != nil {
		return rule, err
	}
	rule.Do, rule.Opaque = Action(do), opaque == "match"
	switch {
	case rule.Name == "":
		return rule, r.problem(n, "a rule needs a name", "name: no-hard-reset")
	case strings.Trim(rule.Name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || len(rule.Name) > 60:
		return rule, r.problem(n, "the name "+strconv.Quote(plain.Line(rule.Name))+" has other characters than a-z, 0-9, - and _", "")
	case rule.Do == "":
		return rule, r.problem(n, rule.Name+" needs an action", "do: note, warn, tell, ask or deny")
	case rule.When == nil:
		return rule, r.problem(n, rule.Name+" needs a condition", "when: { command: git reset, flags: [--hard] }")
	}
	return rule, nil
}

func (r *reader) conditions(to *[]Condition) field {
	one := func(n *yaml.Node) error {
		c, err := r.condition(n)
		*to = append(*to, c)
		return err
	}
	return func(n *yaml.Node) error {
		if n.Kind == yaml.SequenceNode {
			return r.list(n, one)
		}
		return one(n)
	}
}

func (r *reader) condition(n *yaml.Node) (c Condition, err error) {
	err = r.members(n, map[string]field{
		"tool": r.texts(&c.Tool, nil), "command": r.texts(&c.Command, nil), "flags": r.texts(&c.Flags, checkFlag), "not_flags": r.texts(&c.NotFlags, checkFlag),
		"args": r.texts(&c.Args, nil), "not_args": r.texts(&c.NotArgs, nil), "operands": r.number(&c.AtLeast), "statement": r.texts(&c.Statement, nil),
		"runs": r.word(&c.Runs, "download"), "path": r.texts(&c.Path, nil),
		"reads": r.texts(&c.Reads, checkClass), "writes": r.texts(&c.Writes, checkClass), "empties": r.texts(&c.Empties, checkClass),
		"force_push": r.texts(&c.ForcePush, nil), "branch": r.texts(&c.Branch, nil), "host": r.texts(&c.Host, nil), "server": r.texts(&c.Server, nil),
		"cluster": r.word(&c.Cluster, "remote", "local"), "after": r.word(&c.After, "secret"),
		"dirty": r.truth(&c.Dirty), "pushed": r.truth(&c.Pushed), "network": r.truth(&c.Network), "sub_agent": r.truth(&c.SubAgent),
		"calls": r.number(&c.Calls), "repeats": r.number(&c.Repeats), "failures": r.number(&c.Failures), "agents": r.number(&c.Agents),
		"per": r.word(&c.Per, "turn", "session"),
		"cost": func(n *yaml.Node) error {
			return r.problem(n, "cost is not possible in this version", "use calls: `when: { calls: 300, per: turn }`")
		},
	})
	if err == nil && c.Per != "" && !c.OfCounts() {
		return c, r.problem(n, "per needs a count", "when: { calls: 300, per: turn }")
	}
	if err == nil && c.OfShell() && len(c.Tool) > 0 && !slices.Contains(c.Tool, string(Shell)) {
		return c, r.problem(n, "command, flags, args and the like are about shell commands, and tool leaves them out", "tool: shell")
	}
	return c, err
}

func checkFlag(s string) (wrong, fix string) {
	for one := range strings.SplitSeq(s, "|") {
		if !strings.HasPrefix(one, "-") || len(one) < 2 {
			return strconv.Quote(plain.Line(s)) + " is no flag", "write it with its dashes: --" + strings.TrimLeft(plain.Line(one), "-")
		}
	}
	return "", ""
}

// checkClass accepts the classes, and patterns, which have a slash, a dot or a star.
func checkClass(s string) (wrong, fix string) {
	if slices.Contains(classes, s) || strings.ContainsAny(s, "/.*") {
		return "", ""
	}
	if fix = didYouMean(s, classes); fix == "" {
		fix = "one of " + strings.Join(classes, ", ") + ", or a pattern like src/**"
	}
	return strconv.Quote(plain.Line(s)) + " is no class of files", fix
}
