package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/settings"
)

// Init is what InitProject has made.
type Init struct {
	Root     string        // the real path of the project
	Created  []string      // paths relative to Root, in order; empty if all existed
	Marked   bool          // this call trusted the project; false if it was trusted before
	Replaced bool          // the user had trusted another .oss that was here before
	Anchored bool          // this call made the anchor of its log
	Aside    journal.Aside // the log that was there before this user trusted the project, and where it is now
	Settings []string      // what the project's settings change of the supervisor, as key = value; only if this call trusted the project
}

// shownSettings is how many settings of a project Found lists.
const shownSettings = 20

// Found says in lines what was there before the user trusted the project. They hold text of files that somebody else may have written.
func (done *Init) Found() (lines []string) {
	if done.Replaced {
		lines = append(lines, "its .oss isn't the one that you trusted before: somebody replaced the folder")
	}
	if a := &done.Aside; a.Folder != "" {
		count, when := "1 entry", ""
		if a.Entries != 1 {
			count = strconv.FormatInt(a.Entries, 10) + " entries"
		}
		if a.Entries > 0 {
			const day = "2 Jan 2006 15:04"
			when = ", from " + a.First.Local().Format(day) + " to " + a.Last.Local().Format(day)
		}
		lines = append(lines, "it came with a log of unknown origin: "+count+when,
			"moved that log to "+project.OssDir+"/"+a.Folder+"; no agent will read it")
	}
	if len(done.Settings) > 0 {
		lines = append(lines, "its settings.json changes what aburn watches for:")
	}
	for i, s := range done.Settings {
		if i == shownSettings {
			return append(lines, "  … and "+strconv.Itoa(len(done.Settings)-i)+" more")
		}
		lines = append(lines, "  "+s)
	}
	return lines
}

// InitOptions says what the user asked for explicitly.
type InitOptions struct {
	Wide     bool // a project may hold the home directory or the state folder
	TrustLog bool // a log that is there already counts as written by this user
}

// InitProject makes dir a project of this user: it makes .oss/ (mode 0700) with a .gitignore and a settings file, and
// the mark of trust outside of it. It leaves existing files alone, so a second call changes nothing. It refuses a
// .oss that is a link or a file, belongs to somebody else, or is writable by others.
//
// If the project was not trusted and has a log already, a repository may have brought it along: it is moved aside, whole,
// so that no agent ever reads it.
//
// Without Wide it refuses a folder that holds the user's home directory or state folder, with a *TooWide. With Wide it refuses
// a state folder inside of the project only if a variable has put it there.
func InitProject(dir string, env func(string) string, o InitOptions) (Init, error) {
	root, err := realDir(dir)
	if err != nil {
		return Init{}, err
	}
	err = tooWide(root, env)
	if !o.Wide {
		if err != nil {
			return Init{Root: root}, err
		}
		return initProject(root, env, project.Mark, o)
	}
	if wide := (*TooWide)(nil); errors.As(err, &wide) && wide.Moved {
		return Init{Root: root}, wide
	}
	done, err := initProject(root, env, project.MarkHolding, o)
	if p, perr := project.At(root, project.Env); err == nil && perr == nil && !p.Marked { // marks go by the process's own environment
		return done, errors.New("on this system you can't trust a project that contains the state folder: " + root)
	}
	return done, err
}

// TooWide is the error for a project that would hold what is not the project's.
type TooWide struct {
	Root  string
	Holds string // in words
	Moved bool   // a variable has put the state folder into the project: nobody can trust it there
}

func (e *TooWide) Error() string {
	if e.Moved {
		return e.Root + " holds " + e.Holds + ": a mark of trust inside the project doesn't count"
	}
	return e.Root + " holds " + e.Holds + ": a project there would include every folder below that isn't a project itself"
}

// tooWide returns a *TooWide for a project at root, unless this user has made one there.
func tooWide(root string, env func(string) string) error {
	if p, err := project.At(root, env); err == nil && p.Marked {
		return nil
	}
	if root == filepath.Dir(root) {
		return &TooWide{Root: root, Holds: "the whole file system"}
	}
	var home string
	var err error
	homeless := !filepath.IsAbs(env("HOME"))
	if !homeless {
		home, err = resolveDir(filepath.Clean(env("HOME")))
	}
	if !homeless && err == nil && within(home, root) {
		return &TooWide{Root: root, Holds: "your home directory"}
	}
	held := (*project.HeldState)(nil)
	if !errors.As(project.StateIn(root, env), &held) {
		return nil
	}
	usual := func(name string) string {
		if name == "HOME" {
			return env(name)
		}
		return ""
	}
	return &TooWide{Root: root, Holds: "aburn's state folder " + held.State, Moved: homeless || held.State != project.StateDir(usual)}
}

func initProject(root string, env func(string) string, mark func(string) error, o InitOptions) (Init, error) {
	done := Init{Root: root}
	switch err := os.Mkdir(filepath.Join(root, project.OssDir), 0o700); {
	case err == nil:
		done.Created = append(done.Created, project.OssDir+"/")
	case !errors.Is(err, fs.ErrExist):
		return done, err
	}
	p, err := project.At(root, env)
	if err != nil {
		return done, err
	}
	made, err := fillOss(p)
	done.Created = append(done.Created, made...)
	if err != nil || p.Marked {
		if err == nil {
			done.Anchored, err = beginAnchor(p)
		}
		return done, err
	}
	if done.Replaced = p.Replaced; !o.TrustLog && !project.Moved(root) {
		if done.Aside, err = setAside(p); err != nil {
			return done, err
		}
	}
	done.Marked = true
	if err := mark(root); err != nil {
		return done, err
	}
	if p, err = project.At(root, env); err != nil {
		return done, err
	}
	done.Settings = settings.Changes(p)
	done.Anchored, err = beginAnchor(p)
	return done, err
}

// setAside moves a log that this user's trust does not cover. The stored state is of that log.
func setAside(p *project.Project) (journal.Aside, error) {
	oss, err := p.OpenOss()
	if err != nil {
		return journal.Aside{}, err
	}
	defer oss.Close()
	folder := "untrusted-" + time.Now().UTC().Format("20060102T150405.000Z")
	return journal.New(oss, journal.Options{By: journal.Command}).SetAside(folder, StateName)
}

// StateName is the file in .oss with what the supervisor has folded of the log: supervisor/look.StateName, which this room may not import.
const StateName = "workflow-state.json"

// beginAnchor makes the anchor of the project's log if there is none.
func beginAnchor(p *project.Project) (made bool, err error) {
	oss, err := p.OpenOss()
	if err != nil {
		return false, err
	}
	defer oss.Close()
	return journal.New(oss, journal.Options{By: journal.Command, Anchor: p.Anchor()}).BeginAnchor(time.Now())
}

func realDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// ossFile is a file that every project begins with.
type ossFile struct {
	name string
	data []byte
}

func ossFiles() []ossFile {
	return []ossFile{
		{".gitignore", []byte("*\n")},
		{"settings.json", settings.Default()},
	}
}

// fillOss writes the files that .oss lacks, each atomically.
func fillOss(p *project.Project) (made []string, err error) {
	oss, err := p.OpenOss()
	if err != nil {
		return nil, err
	}
	defer oss.Close()
	for _, f := range ossFiles() {
		if _, err := oss.Lstat(f.name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := atomicfile.WriteRoot(oss, f.name, f.data, 0o600, atomicfile.Options{}); err != nil {
			return made, err
		}
		made = append(made, project.OssDir+"/"+f.name)
	}
	return made, nil
}

// initialised reports whether InitProject would change nothing at root.
func initialised(root string, env func(string) string) bool {
	p, err := project.At(root, env)
	if err != nil || !p.Marked {
		return false
	}
	for _, f := range ossFiles() {
		if _, err := os.Lstat(filepath.Join(root, project.OssDir, f.name)); err != nil {
			return false
		}
	}
	_, err = os.Lstat(p.Anchor())
	return err == nil
}
