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
)

// Setting is a value that counts.
type Setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Said  string `json:"said,omitempty"` // its name in the file, if that is another one
	Use   string `json:"use"`            // what uses it
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

	home string
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
	c := &Config{Files: []string{}, Settings: []Setting{}, LeftOut: []LeftOut{}, home: p.Home}
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
			case s.name == schemaKey:
			case s.gone:
				c.leave(repo, s, "it has no meaning in aburn")
			case s.unused() != "":
				c.leave(repo, s, "not used: "+s.unused())
			case s.who == person || s.name == "action" && s.value == "auto-merge":
				c.leave(repo, s, "only your own file may say this: "+cmp.Or(p.User, "workers.yaml"))
			case s.who == confirmed && !careful(s) && !usual(s, mine):
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
			case s.project != "" && s.project != id, s.name == schemaKey:
			case s.gone:
				c.leave(mine, s, "it has no meaning in aburn")
			case s.unused() != "":
				c.leave(mine, s, "not used: "+s.unused())
			default:
				for _, name := range s.strangers() {
					c.LeftOut = append(c.LeftOut, LeftOut{s.full + "." + name, mine.file, s.line, "not used: of these aburn knows " + strings.Join(s.has, ", ")})
				}
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
		if real, err := filepath.EvalSymlinks(absolute(d, path, p.Home)); err == nil && real == p.Root {
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
