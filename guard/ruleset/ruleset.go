// Package ruleset knows which rules there are for a user in a project, and which of them count. A rule counts once a person has
// enabled it; a repository's rule only as that person has seen it, and only in a project that the user trusts.
package ruleset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"aburn/guard"
	"aburn/guard/packs"
	"aburn/internal/atomicfile"
	"aburn/internal/plain"
	"aburn/internal/suspect"
)

// File is the name of a file of rules, in the user's folder of settings and in a project's .oss.
const File = "guard.yaml"

// stateFile holds what is enabled, below the user's state folder.
const stateFile = "guard.json"

// maxState bounds the file of what is enabled, in bytes.
const maxState = 1 << 20

// projectPack is what stands before the name of a project's rule.
const projectPack = "project"

// Where says where rules and state are.
type Where struct {
	Config string   // the user's folder of settings; "" if there is none
	State  string   // the user's folder of state
	Oss    *os.Root // of a trusted project; nil without one
	Root   string   // of that project
}

// Set is all rules, with what is enabled of them.
type Set struct {
	Rules    []guard.Rule
	Problems []error // a file with one has no rules that count
	Enabled  []Enabled
	where    Where
}

// Enabled is a rule that a person has enabled.
type Enabled struct {
	Rule    string    `json:"rule"`
	Project string    `json:"project,omitempty"` // the root of the project whose rule it is
	Sum     string    `json:"sum"`               // of the rule as it was
	At      time.Time `json:"at"`
	Test    *Test     `json:"test,omitempty"`
}

// Test is the numbers of the back-test that the person saw.
type Test struct {
	Since    time.Time `json:"since,omitzero"`
	Calls    int       `json:"calls"`
	Sessions int       `json:"sessions"`
	Hits     int       `json:"hits"`
	HitIn    int       `json:"sessions_hit"`
	Opaque   int       `json:"opaque"`
	PerDay   float64   `json:"per_day"`
}

type state struct {
	V       int       `json:"v"`
	Enabled []Enabled `json:"enabled"`
}

// Load reads all rules.
func Load(w Where) *Set {
	s := &Set{where: w}
	all, err := packs.All()
	if err != nil {
		s.Problems = append(s.Problems, err)
	}
	s.Rules = all
	if w.Config != "" {
		path := filepath.Join(w.Config, File)
		rules, err := guard.ReadFile(path)
		s.add(rules, err)
	}
	if w.Oss != nil {
		rules, err := readProject(w.Oss, w.Root)
		s.add(rules, err)
	}
	if s.Enabled, err = readState(w.State); err != nil {
		s.Problems = append(s.Problems, err)
	}
	return s
}

func (s *Set) add(rules []guard.Rule, err error) {
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.Problems = append(s.Problems, err)
		}
		return
	}
	s.Rules = append(s.Rules, rules...)
}

// readProject reads the rules of a repository. They may only tighten.
func readProject(oss *os.Root, root string) ([]guard.Rule, error) {
	st, err := oss.Lstat(File)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(root, ".oss", File)
	if !st.Mode().IsRegular() {
		return nil, &guard.Problem{File: name, Text: "is no regular file"}
	}
	f, err := oss.OpenFile(File, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rules, err := guard.ReadOpen(name, f)
	if err != nil {
		return nil, err
	}
	for i := range rules {
		r := &rules[i]
		r.Project, r.Pack = true, projectPack
		if r.Do == guard.Note || r.Do == guard.Tell {
			return nil, &guard.Problem{
				File: name, Line: r.Line, Text: r.Name + " would only " + string(r.Do) + ": a project's rules may only tighten", Fix: "do: warn, ask or deny",
			}
		}
	}
	return rules, nil
}

func readState(dir string) ([]Enabled, error) {
	path := filepath.Join(dir, stateFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || st.Size() > maxState {
		return nil, errors.Join(err, &guard.Problem{File: path, Text: "is larger than 1 MiB"})
	}
	var s state
	if err := json.NewDecoder(f).Decode(&s); err != nil || s.V != 1 {
		return nil, errors.Join(&guard.Problem{File: path, Text: "is not what aburn wrote, so no rule counts", Fix: "delete it, and enable your rules again"}, err)
	}
	return s.Enabled, nil
}

// Sum names a rule as it is now.
func Sum(r *guard.Rule) string {
	c := *r
	c.File, c.Line = "", 0
	b, _ := json.Marshal(c)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Of is the enabling of a rule; nil if it is not enabled here.
func (s *Set) Of(r *guard.Rule) *Enabled {
	for i := range s.Enabled {
		e := &s.Enabled[i]
		if e.Rule == r.FullName() && (!r.Project || e.Project == s.where.Root) {
			return e
		}
	}
	return nil
}

// Counts reports whether a rule counts. A project's rule that was changed since a person saw it does not.
func (s *Set) Counts(r *guard.Rule) bool {
	e := s.Of(r)
	return e != nil && (!r.Project || e.Sum == Sum(r))
}

// Active are the rules that count.
func (s *Set) Active() (list []guard.Rule) {
	for i := range s.Rules {
		if s.Counts(&s.Rules[i]) {
			list = append(list, s.Rules[i])
		}
	}
	return list
}

// Find returns the rules that a name means: a rule's full name, its name if only one rule has it, a pack, or "all" packs.
func (s *Set) Find(name string) (list []guard.Rule) {
	for _, r := range s.Rules {
		if r.FullName() == name {
			return []guard.Rule{r}
		}
		if r.Pack == name && r.Pack != "" {
			list = append(list, r)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, r := range s.Rules {
		if r.Name == name {
			list = append(list, r)
		}
	}
	if len(list) > 1 {
		return nil
	}
	return list
}

// Names are the names that Find knows.
func (s *Set) Names() []string {
	names := packs.Names()
	for _, r := range s.Rules {
		names = append(names, r.FullName())
	}
	return names
}

// Nearest is the name that was meant.
func (s *Set) Nearest(name string) string { return plain.Nearest(name, s.Names()) }

// Enable makes rules count, and keeps the numbers that the person saw. Rules that are enabled already are renewed.
func (s *Set) Enable(rules []guard.Rule, tests map[string]*Test, now time.Time) error {
	for i := range rules {
		r := &rules[i]
		e := Enabled{Rule: r.FullName(), Sum: Sum(r), At: now.UTC().Truncate(time.Second), Test: tests[r.FullName()]}
		if r.Project {
			e.Project = s.where.Root
		}
		s.drop(r)
		s.Enabled = append(s.Enabled, e)
	}
	return s.write()
}

// Disable makes the rules that a name means stop counting, also those that no file has any more. It returns their names.
func (s *Set) Disable(name string) (names []string, err error) {
	known := s.Find(name)
	s.Enabled = slices.DeleteFunc(s.Enabled, func(e Enabled) bool {
		meant := e.Rule == name || strings.HasPrefix(e.Rule, name+"/") ||
			slices.ContainsFunc(known, func(r guard.Rule) bool { return r.FullName() == e.Rule })
		if !meant || e.Project != "" && e.Project != s.where.Root {
			return false
		}
		names = append(names, e.Rule)
		return true
	})
	return names, s.write()
}

func (s *Set) drop(r *guard.Rule) {
	s.Enabled = slices.DeleteFunc(s.Enabled, func(e Enabled) bool {
		return e.Rule == r.FullName() && (!r.Project || e.Project == s.where.Root)
	})
}

// write writes what is enabled, and then the words by which hooks choose calls. A project's rules may be those of another
// project, whose words are not known here: then every call is chosen.
func (s *Set) write() error {
	if s.where.State == "" {
		return errors.New("neither XDG_STATE_HOME nor HOME is an absolute path")
	}
	if err := os.MkdirAll(s.where.State, 0o700); err != nil {
		return err
	}
	slices.SortStableFunc(s.Enabled, func(a, b Enabled) int { return strings.Compare(a.Rule+a.Project, b.Rule+b.Project) })
	b, err := json.MarshalIndent(state{V: 1, Enabled: s.Enabled}, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(s.where.State, stateFile), append(b, '\n'), 0o600, atomicfile.Options{}); err != nil {
		return err
	}
	path := filepath.Join(s.where.State, suspect.File)
	if len(s.Enabled) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return atomicfile.Write(path, s.words().Bytes(), 0o600, atomicfile.Options{})
}

func (s *Set) words() (words suspect.Words) {
	words = suspect.Words{}
	for _, e := range s.Enabled {
		found := false
		for i := range s.Rules {
			if r := &s.Rules[i]; r.FullName() == e.Rule && (!r.Project || e.Project == s.where.Root) {
				words = append(words, guard.Words(r)...)
				found = true
			}
		}
		if !found {
			words = append(words, suspect.Clause{})
		}
	}
	return words
}

// Refresh writes the words anew where they are not those of the rules: a person edited a rule, or aburn has a newer form.
func (s *Set) Refresh() error {
	if len(s.Enabled) == 0 || len(s.Problems) > 0 {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(s.where.State, suspect.File))
	if err == nil && string(b) == string(s.words().Bytes()) {
		return nil
	}
	return s.write()
}
