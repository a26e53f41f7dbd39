// Package facts answers what rules ask about the moment of a call. It asks git and reads kubectl's settings, each once and only
// when a rule asks, and changes nothing. What it can't find out in time is unknown.
package facts

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"aburn/guard"
	"aburn/internal/git"
)

// patience bounds one question to git.
const patience = time.Second

// Now are the facts of this moment.
type Now struct {
	Ctx     context.Context
	Environ []string
	Env     func(string) string
	Home    string
	// Numbers are the counts of the session, if they are known.
	Numbers *guard.Counts

	truths map[string]guard.Truth
	branch map[string]string
}

func (n *Now) once(key string, ask func() guard.Truth) guard.Truth {
	if n.truths == nil {
		n.truths = map[string]guard.Truth{}
	}
	t, ok := n.truths[key]
	if !ok {
		t = ask()
		n.truths[key] = t
	}
	return t
}

// code runs git and returns its exit code and output; ok is false if it could not run in time.
func (n *Now) code(dir string, args ...string) (code int, out string, ok bool) {
	ctx, cancel := context.WithTimeout(n.Ctx, patience)
	defer cancel()
	g, err := git.In(dir, n.Environ).Unfiltered(ctx)
	if err != nil {
		return 0, "", false
	}
	code, out, err = g.With("GIT_LITERAL_PATHSPECS=0").Code(ctx, args...) // check-ignore refuses 1; paths are absolute
	return code, out, err == nil
}

// Dirty asks whether tracked files have changes.
func (n *Now) Dirty(dir string) guard.Truth {
	return n.once("dirty "+dir, func() guard.Truth {
		code, out, ok := n.code(dir, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=none")
		if !ok || code != 0 {
			return guard.Unknown
		}
		return guard.TruthOf(out != "")
	})
}

// Pushed asks whether a branch of a remote has the newest commit.
func (n *Now) Pushed(dir string) guard.Truth {
	return n.once("pushed "+dir, func() guard.Truth {
		code, out, ok := n.code(dir, "for-each-ref", "--count=1", "--contains=HEAD", "--format=%(refname)", "refs/remotes")
		if !ok || code != 0 {
			return guard.Unknown
		}
		return guard.TruthOf(out != "")
	})
}

// Branch is the branch that is checked out; "" if there is none.
func (n *Now) Branch(dir string) string {
	if b, ok := n.branch[dir]; ok {
		return b
	}
	if n.branch == nil {
		n.branch = map[string]string{}
	}
	code, out, ok := n.code(dir, "symbolic-ref", "-q", "--short", "HEAD")
	if !ok || code != 0 {
		out = ""
	}
	n.branch[dir] = out
	return out
}

// Tracked asks whether git has the file.
func (n *Now) Tracked(path string) guard.Truth {
	return n.once("tracked "+path, func() guard.Truth {
		code, _, ok := n.code(existing(filepath.Dir(path)), "ls-files", "--error-unmatch", "--", path)
		switch {
		case !ok:
			return guard.Unknown
		case code > 1:
			return guard.No // no repository
		}
		return guard.TruthOf(code == 0)
	})
}

// Ignored asks whether git ignores the file.
func (n *Now) Ignored(path string) guard.Truth {
	return n.once("ignored "+path, func() guard.Truth {
		code, _, ok := n.code(existing(filepath.Dir(path)), "check-ignore", "-q", "--", path)
		switch {
		case !ok:
			return guard.Unknown
		case code > 1:
			return guard.No
		}
		return guard.TruthOf(code == 0)
	})
}

// existing is the nearest folder of path that exists.
func existing(path string) string {
	for {
		if st, err := os.Stat(path); err == nil && st.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// Resolve follows the links of a path.
func (n *Now) Resolve(path string) string { return Resolve(path) }

// Resolve follows the links of the part of an absolute path that exists.
func Resolve(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	rest := ""
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// maxConfig bounds the settings of kubectl that are read, in bytes.
const maxConfig = 1 << 20

// Cluster is kubectl's current context; "" if unknown.
func (n *Now) Cluster() string {
	list := filepath.Join(n.Home, ".kube", "config")
	if v := n.Env("KUBECONFIG"); v != "" {
		list = v
	}
	for _, path := range strings.Split(list, string(filepath.ListSeparator)) {
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() || st.Size() > maxConfig {
			continue
		}
		text, err := os.ReadFile(path)
		var config struct {
			Current string `yaml:"current-context"`
		}
		if err == nil && yaml.Unmarshal(text, &config) == nil && config.Current != "" {
			return config.Current
		}
	}
	return ""
}

// Counts are the numbers of the session.
func (n *Now) Counts() (guard.Counts, bool) {
	if n.Numbers == nil {
		return guard.Counts{}, false
	}
	return *n.Numbers, true
}

// Then are the facts of a moment in the past: what nobody recorded is unknown. Links are followed as they are now.
type Then struct {
	CheckedOut string // the branch, if it was recorded
	Numbers    guard.Counts
}

// Dirty is unknown.
func (t *Then) Dirty(string) guard.Truth { return guard.Unknown }

// Pushed is unknown.
func (t *Then) Pushed(string) guard.Truth { return guard.Unknown }

// Branch is the recorded one.
func (t *Then) Branch(string) string { return t.CheckedOut }

// Tracked is unknown.
func (t *Then) Tracked(string) guard.Truth { return guard.Unknown }

// Ignored is unknown.
func (t *Then) Ignored(string) guard.Truth { return guard.Unknown }

// Resolve follows links.
func (t *Then) Resolve(path string) string { return Resolve(path) }

// Cluster is unknown.
func (t *Then) Cluster() string { return "" }

// Counts are the numbers of the session at the call.
func (t *Then) Counts() (guard.Counts, bool) { return t.Numbers, true }
