package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"aburn/internal/project"
)

// Change is a planned operation. Planning touches nothing.
type Change struct {
	Files []FileChange // including files that stay as they are
	Init  string       // the project in which to run `aburn init`; "" for none
	Notes []string     // for the user to read
	Tell  *Command     // the agent's own command that changes its MCP servers; nil for none
	Trust []*Forget    // uninstall: records of trust to be taken out after the hooks
	Copy  *Copy        // install: executables to be copied to the place first; nil for none
	Place string       // uninstall: the place, which nothing names any more; "" for none

	programs []string // what the settings name
	env      func(string) string
}

// FileChange is the planned change of one settings file.
type FileChange struct {
	Agent  Agent
	Scope  Scope
	Path   string   // as the agent names it
	Real   string   // links resolved: the file that is replaced
	Exists bool     // the file is there now
	Remove bool     // remove the file: an install made it, and nothing else is in it
	Exact  bool     // uninstall: the file becomes byte for byte what it would be without the install
	Hook   string   // install: the executable that the settings call
	Server bool     // the change is about the MCP server, not about hooks
	Moved  int      // install: events whose handler was not up to date
	Old    []byte   // the file's bytes now
	New    []byte   // the file's bytes afterwards
	Notes  []string // about this file

	what     content
	edits    []edit
	root     string  // the project that the file must lie in; "" for anywhere
	record   *record // install saves it before, uninstall removes it after
	original []byte  // the backup of record
}

// Same reports whether the file stays as it is.
func (f *FileChange) Same() bool { return !f.Remove && bytes.Equal(f.Old, f.New) }

// Nothing reports whether the change is empty.
func (c *Change) Nothing() bool {
	return c.Init == "" && c.Tell == nil && c.Copy == nil && c.Place == "" && !slices.ContainsFunc(c.Files, func(f FileChange) bool { return !f.Same() })
}

// Plan plans an install. An error means that the install is impossible; it is a *SyntaxError if a settings file is the
// reason.
func Plan(o Options) (*Change, error) {
	o = o.complete()
	switch {
	case o.Scope == Project && (o.StatusLine == AddStatus || o.StatusLine == WrapStatus):
		return nil, ErrSharedStatus
	case o.StatusLine == WrapStatus && runtime.GOOS == "windows":
		return nil, ErrWindowsWrap
	}
	hook, err := hookPath(o)
	if err != nil {
		return nil, err
	}
	c := &Change{env: o.Env, programs: []string{hook}}
	for _, a := range o.Agents {
		plan := planInstall
		if a.own != nil {
			plan = planOwn
		}
		f, err := plan(o, hooksFile(o, a), hook)
		if err != nil {
			return nil, err
		}
		c.Files = append(c.Files, f)
	}
	if o.MCP {
		if err := c.planServer(o); err != nil {
			return nil, err
		}
	}
	c.planCopy(o)
	if !o.NoInit {
		c.Init, err = initNeeded(o)
	}
	return c, err
}

func (o Options) complete() Options {
	if o.Scope == "" {
		o.Scope = User
	}
	return o
}

// initNeeded is the root of the project around o.Dir, or "" if `aburn init` would change nothing there.
func initNeeded(o Options) (string, error) {
	root, err := ProjectRoot(o.Dir, o.Env)
	if errors.Is(err, ErrNoProject) {
		return "", nil
	}
	if err != nil || initialised(root, o.Env) {
		return "", err
	}
	return root, tooWide(root, o.Env)
}

func hooksFile(o Options, a Agent) FileChange {
	what := hooks{agent: a, allow: o.AllowLog && a.rules}
	if a.Settings.StatusLine {
		what.status = o.StatusLine
	}
	if o.Scope != Project { // that file is for everybody, whose folders differ
		what.folders = project.FolderArgs(o.Env)
	}
	return FileChange{Agent: a, what: what}
}

// planInstall plans to put the content into the file f, calling the executable at path.
func planInstall(o Options, f FileChange, path string) (FileChange, error) {
	t, err := f.begin(o)
	if err != nil {
		return f, err
	}
	f.Hook = path
	now := t.data
	if !t.exists {
		now = []byte("{}\n")
	}
	d, err := f.Agent.parse(f.Path, now)
	if err != nil {
		return f, err
	}
	e, err := f.what.ensure(d, path)
	if err != nil {
		return f, err
	}
	f.Moved, f.edits, f.New = e.moved, e.edits, splice(now, e.edits)
	next, err := f.Agent.parse(f.Path, f.New)
	if err != nil {
		return f, err
	}
	f.Notes = f.what.notes(o, next)
	if f.Same() && t.exists {
		return f, nil
	}
	return f, f.prepare(o, t, d, next)
}

// begin finds and reads the file.
func (f *FileChange) begin(o Options) (target, error) {
	f.Scope = o.Scope
	var err error
	f.Path, f.root, err = f.what.path(o)
	if err != nil {
		return target{}, err
	}
	t, err := readTarget(f.Path, f.root)
	f.Real, f.Exists, f.Old, f.New = t.real, t.exists, t.data, t.data
	return t, err
}

// prepare makes the record for f.New with the bytes without aburn's hooks. It proves that removal turns the new bytes
// into them.
func (f *FileChange) prepare(o Options, t target, now, then *document) error {
	old := readRecord(t.real, o.Env)
	base, existed := f.base(old, t, now)
	next := &record{
		Version: recordVersion, Agent: f.Agent.Name, Scope: f.Scope, Path: f.Path, Real: t.real, Time: time.Now().UTC(),
		Hook: f.Hook, Existed: existed, After: []string{hash(f.New)}, dir: recordDir(t.real, o.Env),
	}
	without := []byte("{}\n")
	if existed {
		next.Before, without = hash(base), base
	}
	if t.exists && !bytes.Equal(base, t.data) {
		next.After = append(next.After, hash(t.data))
	}
	bd, err := f.Agent.parse(f.Path, without)
	if err != nil {
		return err
	}
	next.Containers = f.what.containers(bd)
	next.Rule = then.allowed() && !bd.allowed()
	removal := f.what.remove(then, next.was, next.Rule)
	if !bytes.Equal(splice(f.New, removal), without) {
		return fmt.Errorf("%s: aburn could not remove the insertion again byte for byte, so it leaves the file alone", f.Path)
	}
	next.Spans = spansOf(f.New, removal)
	next.Folders = missingFolders(filepath.Dir(t.real))
	if old != nil && old.leads(t.data) {
		next.Folders = old.Folders
	}
	f.record, f.original = next, base
	return nil
}

// base is the file without aburn's hooks, and whether there was one. It comes from the record of an earlier install
// if the file is as that install left it, else from removing the hooks.
func (f *FileChange) base(old *record, t target, now *document) (data []byte, existed bool) {
	switch {
	case !t.exists:
		return nil, false
	case old.leads(t.data):
		if data, err := old.original(); err == nil {
			return data, old.Existed
		}
	case old == nil && !f.what.owns(now):
		return t.data, true
	}
	data = splice(t.data, removal(now, f.what, old))
	if old != nil && !old.Existed && f.isEmptyObject(data) {
		return nil, false
	}
	return data, true
}

// removal finds the edits that remove the content, by the record if there is one. The white space and comments inside an empty
// container come back only if nobody has changed the layout since.
func removal(d *document, what content, r *record) []edit {
	if r == nil {
		return what.remove(d, allAbsent, false)
	}
	edits := what.remove(d, r.was, r.Rule)
	for i, e := range edits {
		untouched := func(s recorded) bool { return s.Installed == e.old }
		inside := strings.TrimSpace(e.new)
		if (inside == "" || inside[0] == '/') && !slices.ContainsFunc(r.Spans, untouched) {
			edits[i].new = ""
		}
	}
	return edits
}

// isEmptyObject reports whether data is an object with nothing in it and no comment around.
func (f *FileChange) isEmptyObject(data []byte) bool {
	d, err := f.Agent.parse(f.Path, data)
	return err == nil && d.root.kind == object && len(d.root.members) == 0 && len(d.comments) == 0
}

// missingFolders are dir and its parents that do not exist, outermost first.
func missingFolders(dir string) (out []string) {
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return out
		}
		out = slices.Insert(out, 0, dir)
		dir = filepath.Dir(dir)
	}
}

// content is what an install adds to one kind of file.
type content interface {
	// path is the file, and the project that it must lie in; "" is anywhere.
	path(o Options) (path, root string, err error)
	// ensure finds the edits that add the content to d, calling the executable at path.
	ensure(d *document, path string) (*ensurer, error)
	// remove finds the edits that undo ensure. was is what a container was before; with rule, an install added AllowRule.
	remove(d *document, was func(path string) container, rule bool) []edit
	// containers records the containers in d that ensure may make or fill.
	containers(d *document) []container
	// owns reports whether d has any of the content.
	owns(d *document) bool
	// mentioned reports whether data may have the content. A file without it need not be JSON.
	mentioned(data []byte) bool
	// notes are obstacles in d and in other files.
	notes(o Options, d *document) []string
}

// hooks is the content of an agent's hooks, with allow AllowRule, and a status line by status.
type hooks struct {
	agent   Agent
	allow   bool
	status  StatusLine
	folders []string // project.FolderArgs
}

func (h hooks) path(o Options) (path, root string, err error) {
	return h.agent.settingsPath(o.Scope, o.Dir, o.Env)
}

func (h hooks) ensure(d *document, path string) (*ensurer, error) {
	return d.ensure(call{agent: h.agent, path: path, folders: h.folders}, h.allow, h.status)
}

func (h hooks) remove(d *document, was func(string) container, rule bool) []edit {
	return d.remove(h.agent, was, rule)
}

func (h hooks) containers(d *document) []container { return d.containers(h.agent) }
func (h hooks) owns(d *document) bool              { return d.owns(h.agent) }
func (h hooks) mentioned(data []byte) bool         { return bytes.Contains(data, []byte(hookName)) }

func (h hooks) notes(o Options, d *document) []string {
	notes := append(d.notes(h.agent), d.statusNotes(h.agent, h.status)...)
	return append(notes, o.twice(h.agent)...)
}
