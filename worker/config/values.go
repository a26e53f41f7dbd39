package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// words that a key may have.
var words = map[string][]string{
	"merge":       {"forward", "merge", "squash", "rebase"},
	"permissions": {"ask", "edits", "auto", "plan"},
	"runtime":     {"tmux", "pty", "headless", "process"},
	"workspace":   {"worktree", "clone"},
}

// take lets a value count, or the one that counts already if that is nearer.
func (c *Config) take(d *document, s said, rank int) error {
	name := s.canon()
	value, err := c.translate(d, s, name)
	if m := (*Mistake)(nil); d.foreign && errors.As(err, &m) {
		c.leave(d, s, strings.TrimPrefix(m.Text, s.full+": "))
		return nil
	}
	if err != nil {
		return err
	}
	fresh := Setting{Key: name, Value: value, File: d.file, Line: s.line, Use: s.does, rank: rank + s.rank}
	if s.full != name {
		fresh.Said = s.full
	}
	for i := range c.Settings {
		old := &c.Settings[i]
		if old.Key != name {
			continue
		}
		loser, winner := *old, fresh
		if fresh.rank < old.rank {
			loser, winner = fresh, *old
		}
		*old = winner
		c.LeftOut = append(c.LeftOut, LeftOut{cmp.Or(loser.Said, loser.Key), loser.File, loser.Line,
			fmt.Sprintf("%s:%d says it nearer", filepath.Base(winner.File), winner.Line)})
		return nil
	}
	c.Settings = append(c.Settings, fresh)
	return nil
}

func (c *Config) translate(d *document, s said, name string) (any, error) {
	mistake := func(text string) error { return &Mistake{File: d.file, Line: s.line, Text: s.full + ": " + text} }
	v, _ := s.value.(string)
	if name == "permissions" {
		switch {
		case v == "auto-edit":
			v = "edits"
		case v == "default" || v == "suggest":
			v = "ask"
		case asksAnyway[v]:
			c.leave(d, s, fmt.Sprintf("%q lets an agent do everything unasked: ask counts here. A person says that in the agent itself", v))
			v = "ask"
		}
		s.value = v
	}
	if parts := strings.Split(name, "."); parts[0] == "reactions" && len(parts) == 3 {
		if err := reaction(parts, s.value); err != nil {
			return nil, mistake(err.Error())
		}
	}
	if known := words[name]; known != nil && !slices.Contains(known, v) {
		return nil, mistake(fmt.Sprintf("one of %s, not %q", strings.Join(known, ", "), v))
	}
	switch name {
	case "copy", "link", "share":
		for _, pattern := range s.value.([]string) {
			if err := below(pattern); err != nil {
				return nil, mistake(err.Error())
			}
		}
	case "model":
		if err := CheckModel(v); err != nil {
			return nil, mistake(err.Error())
		}
	case "ports":
		ports, err := portsOf(s.value)
		if err != nil {
			return nil, mistake(err.Error())
		}
		return ports, nil
	case "env_file":
		if err := below(v); err != nil || strings.HasPrefix(v, "!") {
			return nil, mistake(fmt.Sprintf("%q does not stay below the root of the project", v))
		}
	case "dir":
		return absolute(d, v, c.home), nil
	case "port":
		if n, _ := s.value.(int); n < 1 || n > 65535 {
			return nil, mistake(fmt.Sprintf("from 1 to 65535, not %d", n))
		}
	case "snapshots":
		if n, _ := s.value.(int); n < 1 || n > maxSnapshots {
			return nil, mistake(fmt.Sprintf("from 1 to %d, not %d", maxSnapshots, n))
		}
	case "disk.min_free":
		if _, err := Bytes(v); err != nil {
			return nil, mistake(err.Error())
		}
	case "env":
		for _, n := range s.value.([]string) {
			if !variable(n) {
				return nil, mistake(fmt.Sprintf("%q is no name of a variable", n))
			}
		}
	}
	return s.value, nil
}

// CheckModel says what is wrong with the name of a model. It is an argument of an agent's, which may take a word with a dash for a flag.
func CheckModel(name string) error {
	if strings.HasPrefix(name, "-") || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("the name of a model, which begins with no - and has no blank, not %q", name)
	}
	return nil
}

// maxSnapshots is how many snapshots of a worker may be kept: each is a ref.
const maxSnapshots = 1000

// MinFree is what must be free for another worker if nobody says otherwise, in bytes.
const MinFree = 2 << 30

// units of sizes; a longer name stands before one that it ends with.
var units = []struct {
	name string
	n    int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1},
}

// Bytes reads a size such as 500MiB or 2GB. A number alone counts bytes.
func Bytes(text string) (int64, error) {
	number, unit := text, int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.n
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*float64(unit) < 1<<60) {
		return 0, fmt.Errorf("a size such as 500MiB or 2GiB, not %q", text)
	}
	return int64(n * float64(unit)), nil
}

// Free is how much must be free where a worker's tree will lie, in bytes.
func (c *Config) Free() int64 {
	if n, err := Bytes(c.Word("disk.min_free")); err == nil {
		return n
	}
	return MinFree
}

// Port is a variable that gets a free port; From is where the search begins, 0 is anywhere.
type Port struct {
	Name string `json:"name"`
	From int    `json:"from,omitempty"`
}

// ParsePort reads NAME, or NAME=3000.
func ParsePort(text string) (Port, error) {
	name, from, said := strings.Cut(text, "=")
	p := Port{Name: name}
	if !variable(name) {
		return p, fmt.Errorf("%q is no name of a variable", name)
	}
	if n, err := strconv.Atoi(from); said && (err != nil || n < 1 || n > 65535) {
		return p, fmt.Errorf("%s is no port", strconv.Quote(from))
	} else if said {
		p.From = n
	}
	return p, nil
}

func portsOf(v any) (ports []Port, err error) {
	switch v := v.(type) {
	case string:
		ports = []Port{{Name: v}}
	case []any:
		for _, item := range v {
			name, ok := item.(string)
			if !ok {
				return nil, errors.New("it is a list of variables, or variables with ports")
			}
			ports = append(ports, Port{Name: name})
		}
	case map[string]any:
		for name, from := range v {
			n, ok := from.(int)
			if !ok || n < 1 || n > 65535 {
				return nil, fmt.Errorf("%s: %v is no port", name, from)
			}
			ports = append(ports, Port{name, n})
		}
	default:
		return nil, errors.New("it is a list of variables, or variables with ports")
	}
	slices.SortFunc(ports, func(a, b Port) int { return strings.Compare(a.Name, b.Name) })
	for i, p := range ports {
		if !variable(p.Name) || i > 0 && ports[i-1].Name == p.Name {
			return nil, fmt.Errorf("%q is no name of a variable, or stands twice", p.Name)
		}
	}
	if len(ports) > 32 {
		return nil, errors.New("more than 32 ports")
	}
	return ports, nil
}

func variable(name string) bool {
	ok := name != "" && !(name[0] >= '0' && name[0] <= '9')
	for _, r := range name {
		ok = ok && (r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	}
	return ok
}

func (c *Config) get(key string) any {
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			return c.Settings[i].Value
		}
	}
	return nil
}

// Word is a setting of one word; "" if nobody says it.
func (c *Config) Word(key string) string { s, _ := c.get(key).(string); return s }

// Words is a setting that is a list.
func (c *Config) Words(key string) []string { l, _ := c.get(key).([]string); return l }

// Number is a setting that is a number; 0 if nobody says it.
func (c *Config) Number(key string) int { n, _ := c.get(key).(int); return n }

// The bound on workers at once where no file says one.
const workersPerCore, mostWorkers = 4, 16

// MaxWorkers is how many workers of a project may run at once; 0 is any number.
func (c *Config) MaxWorkers(cores int) int {
	if c.Where("max_workers") == "" {
		return min(workersPerCore*cores, mostWorkers)
	}
	return c.Number("max_workers")
}

// Flag is the value of a key that is true or false.
func (c *Config) Flag(key string) bool { b, _ := c.get(key).(bool); return b }

// Ports are the variables that get free ports.
func (c *Config) Ports() []Port { p, _ := c.get("ports").([]Port); return p }

// Span is a setting that is a time, or what stands for it if nobody says it.
func (c *Config) Span(key string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(c.Word(key)); err == nil {
		return d
	}
	return otherwise
}

// Where is the file and line of a setting.
func (c *Config) Where(key string) string {
	for _, s := range c.Settings {
		if s.Key == key {
			return fmt.Sprintf("%s:%d", s.File, s.Line)
		}
	}
	return ""
}

// Argv is a program and its arguments: a list of words, or one.
func Argv(value any) (list []string) {
	switch v := value.(type) {
	case string:
		list = []string{v}
	case []any:
		for _, item := range v {
			list = append(list, fmt.Sprint(item))
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}
