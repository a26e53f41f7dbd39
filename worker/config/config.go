// Package config reads what a person and a repository say about workers: workers.yaml of the person, aburn.yaml beside or in
// the repository, or agent-orchestrator.yaml where there is none. It says of each value where it stands, and of each that does
// not count why.
//
// # Invariants
//
//   - What a repository's file says runs nothing, unless a person confirmed exactly that text.
//   - Addresses, commands of notifiers, and what lifts a fence count from the person's own file only.
//   - An unknown key of our own form is a mistake with its line. Of another tool's form it is left out, and that is said.
package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Setting is a value that counts.
type Setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Said  string `json:"said,omitempty"` // its name in the file, if that is another one
	Use   string `json:"use,omitempty"`  // what uses it; absent: nothing yet
	rank  int
}

// LeftOut is something that a file says and that does not count.
type LeftOut struct {
	Key  string `json:"key"`
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Config is what counts for one project.
type Config struct {
	Files    []string  `json:"files"`
	Project  string    `json:"project,omitempty"` // the id in the file, if it has several
	Settings []Setting `json:"settings"`
	LeftOut  []LeftOut `json:"left_out"`
	// Confirm is the hash of what waits for a person's word; "" if nothing does.
	Confirm string `json:"confirm,omitempty"`
	// Texts are what waits.
	Texts []string `json:"waits,omitempty"`
}

// Places are where files may be.
type Places struct {
	Root     string // of the project, a real path
	User     string // the person's file; "" for none
	Only     string // read this file alone, as a repository's
	Home     string
	Accepted func(hash string) bool // whether a person confirmed this text
}

// names of a repository's file, the first that is there counts.
const (
	ours   = "aburn.yaml"
	theirs = "agent-orchestrator.yaml"
)

// Load reads the files. A file that is not there says nothing. The error is a *Mistake, or that of reading.
func Load(p Places) (*Config, error) {
	c := &Config{Files: []string{}, Settings: []Setting{}, LeftOut: []LeftOut{}}
	var mine *document
	var err error
	if p.User != "" && p.Only == "" {
		if mine, err = read(p.User, false); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if mine != nil {
		c.Files = append(c.Files, p.User)
	}
	repo, err := repositorys(p)
	if err != nil {
		return nil, err
	}
	if repo != nil {
		c.Files = append(c.Files, repo.file)
	}
	return c, c.join(p, mine, repo)
}

// repositorys is the file of the repository: at its root, else beside it.
func repositorys(p Places) (*document, error) {
	if p.Only != "" {
		return read(p.Only, filepath.Base(p.Only) != ours)
	}
	for _, name := range []string{ours, theirs} {
		for _, dir := range []string{p.Root, filepath.Dir(p.Root)} {
			d, err := read(filepath.Join(dir, name), name == theirs)
			if !errors.Is(err, fs.ErrNotExist) {
				return d, err
			}
		}
	}
	return nil, nil
}

func (c *Config) join(p Places, mine, repo *document) error {
	var waits []said
	if repo != nil {
		c.LeftOut = append(c.LeftOut, repo.strange...)
		id, err := c.choose(p, repo)
		if err != nil {
			return err
		}
		c.Project = id
		for _, s := range repo.said {
			if s.project != "" && s.project != id {
				continue
			}
			switch {
			case s.gone:
				c.leave(repo, s, "it has no meaning in aburn")
			case s.who == person || s.name == "action" && s.value == "auto-merge":
				c.leave(repo, s, "only your own file may say this: "+cmp.Or(p.User, "workers.yaml"))
			case s.who == confirmed && !careful(s):
				waits = append(waits, s)
			default:
				if err := c.take(repo, s, 10); err != nil {
					return err
				}
			}
		}
	}
	if err := c.confirm(p, repo, waits); err != nil {
		return err
	}
	if mine != nil {
		id, err := c.choose(p, mine)
		if err != nil {
			return err
		}
		for _, s := range mine.said {
			switch {
			case s.project != "" && s.project != id:
			case s.gone:
				c.leave(mine, s, "it has no meaning in aburn")
			default:
				rank := 0
				if s.project != "" {
					rank = 20
				}
				if err := c.take(mine, s, rank); err != nil {
					return err
				}
			}
		}
	}
	slices.SortFunc(c.Settings, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
	slices.SortStableFunc(c.LeftOut, func(a, b LeftOut) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	return nil
}

// careful reports whether a permission takes nothing from the fence.
func careful(s said) bool {
	v, _ := s.value.(string)
	return s.canon() == "permissions" && (v == "ask" || v == "plan" || asksAnyway[v])
}

// asksAnyway are another tool's words that become ask here.
var asksAnyway = map[string]bool{"default": true, "suggest": true, "skip": true, "permissionless": true, "bypass": true}

// canon is the name of a value wherever it stands.
func (s *said) canon() string {
	parts := s.parts
	if len(parts) > 2 && parts[0] == "projects" {
		parts = parts[2:]
	}
	if parts[0] == "reactions" || strings.Contains(s.name, "*") {
		return strings.Join(parts, ".")
	}
	return cmp.Or(s.as, s.name)
}

func (c *Config) leave(d *document, s said, why string) {
	c.LeftOut = append(c.LeftOut, LeftOut{s.full, d.file, s.line, why})
}

// choose is the project of a file that is meant.
func (c *Config) choose(p Places, d *document) (string, error) {
	if len(d.projects) == 0 {
		return "", nil
	}
	var byName []string
	for _, s := range d.said {
		path, _ := s.value.(string)
		if s.name != "path" || s.project == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(p.Home, rest)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(d.file), path)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real == p.Root {
			return s.project, nil
		}
	}
	for _, id := range d.projects {
		if id == filepath.Base(p.Root) {
			byName = append(byName, id)
		}
	}
	if len(byName) == 1 {
		return byName[0], nil
	}
	if len(d.projects) == 1 {
		return d.projects[0], nil
	}
	c.LeftOut = append(c.LeftOut, LeftOut{"projects", d.file, 1, fmt.Sprintf("none of its %d projects has the path %s", len(d.projects), p.Root)})
	return "", nil
}

// confirm takes what waits for a person's word, if that was given for exactly this text.
func (c *Config) confirm(p Places, repo *document, waits []said) error {
	if len(waits) == 0 {
		return nil
	}
	slices.SortStableFunc(waits, func(a, b said) int { return strings.Compare(a.full, b.full) })
	sum := sha256.New()
	for _, s := range waits {
		v, _ := json.Marshal(s.value)
		text := s.full + ": " + string(v)
		c.Texts = append(c.Texts, text)
		sum.Write([]byte(text + "\n"))
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	if p.Accepted != nil && p.Accepted(hash) {
		c.Texts = nil
		for _, s := range waits {
			if err := c.take(repo, s, 10); err != nil {
				return err
			}
		}
		return nil
	}
	c.Confirm = hash
	for _, s := range waits {
		c.leave(repo, s, "nobody confirmed it")
	}
	return nil
}

// words that a key may have.
var words = map[string][]string{
	"merge":       {"forward", "merge", "squash", "rebase"},
	"permissions": {"ask", "edits", "auto", "plan"},
	"workspace":   {"worktree", "clone", "here"},
}

// take lets a value count, or the one that counts already if that is nearer.
func (c *Config) take(d *document, s said, rank int) error {
	name := s.canon()
	value, err := c.translate(d, s, name)
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
		c.LeftOut = append(c.LeftOut, LeftOut{cmp.Or(loser.Said, loser.Key), loser.File, loser.Line, fmt.Sprintf("%s:%d says it nearer", filepath.Base(winner.File), winner.Line)})
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
	case "ports":
		ports, err := portsOf(s.value)
		if err != nil {
			return nil, mistake(err.Error())
		}
		return ports, nil
	case "env":
		for _, n := range s.value.([]string) {
			if !variable(n) {
				return nil, mistake(fmt.Sprintf("%q is no name of a variable", n))
			}
		}
	}
	return s.value, nil
}

// Port is a variable that gets a free port; From is where the search begins, 0 is anywhere.
type Port struct {
	Name string `json:"name"`
	From int    `json:"from,omitempty"`
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

// UserFile is the person's own file in the folder of settings.
func UserFile(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "workers.yaml")
}

// Accepted reads hashes of texts that a person confirmed, one a line.
func Accepted(path string) func(string) bool {
	return func(hash string) bool {
		b, err := os.ReadFile(path)
		return err == nil && slices.Contains(strings.Fields(string(b)), hash)
	}
}
