package status

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"aburn/internal/entries"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor/look"
)

// Follower answers StatusOf of one project again and again. It keeps what it has folded, so that an answer costs what is new in the
// log, however long that is. One goroutine may use it at a time.
type Follower struct {
	root  string
	w     *workspace.Workspace
	look  *look.Look
	files string           // the settings' files, as they were when w was opened
	at    journal.Position // of the log, up to where last knows it
	last  map[logfmt.SessionID]*entries.Record
	asked map[logfmt.Seq]string
}

// NewFollower follows the project with this root, which the user has to trust.
func NewFollower(root string) *Follower { return &Follower{root: root} }

// Status looks at the project, as StatusOf does. The caller's folder does not matter.
func (f *Follower) Status(ctx context.Context, c *workspace.Caller) (*StatusAnswer, error) {
	here := *c
	here.Dir = f.root
	if err := f.open(&here); err != nil {
		return nil, err
	}
	answer, err := statusAt(ctx, &here, f.w, f.look, f.entries)
	if err != nil {
		f.Close() // the next one begins anew
	}
	return answer, err
}

// open opens the project where that is not done, and again where its folder was replaced or its settings changed.
func (f *Follower) open(c *workspace.Caller) error {
	files := []string{filepath.Join(f.root, project.OssDir, settings.File)}
	if dir := project.ConfigDir(c.Env); dir != "" {
		files = append(files, filepath.Join(dir, settings.File))
	}
	now := Versions(files)
	if f.w != nil && f.files == now && sameFolder(f.w.Oss, filepath.Join(f.root, project.OssDir)) {
		return nil
	}
	f.Close()
	w, err := workspace.Open(c)
	if err != nil {
		return err
	}
	if !w.Marked {
		defer w.Close()
		return workspace.NotTrusted(w.Project)
	}
	key, err := w.Key()
	if err != nil {
		key = nil
	}
	f.w, f.files = w, now
	f.look = look.New(look.Options{Root: w.Oss, Project: w.Project, Journal: w.Log, Settings: &w.Settings, Key: key, By: journal.Command, Env: c.Env})
	return nil
}

func sameFolder(open *os.Root, path string) bool {
	here, err := open.Stat(".")
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(here, named)
}

// entries are those of the answer's sessions. It reads what came since the last answer.
func (f *Follower) entries(s *StatusAnswer) (err error) {
	if f.asked, err = wholeInputs(f.w.Log, s.shown, f.asked); err != nil {
		return err
	}
	s.asked = f.asked
	err = journal.ErrPosition
	if f.last != nil {
		err = f.readOn()
	}
	missing := false
	for i := range s.shown {
		_, known := f.last[s.shown[i].ID]
		missing = missing || !known
	}
	if err != nil || missing {
		if !errors.Is(err, journal.ErrPosition) && err != nil {
			return err
		}
		if f.at, err = f.w.Log.End(); err != nil { // what is written meanwhile is read twice
			return err
		}
		if f.last, err = lastEntries(f.w.Log, s.shown); err != nil {
			f.last = nil
			return err
		}
	}
	s.last = maps.Clone(f.last)
	return nil
}

func (f *Follower) readOn() error {
	for line, err := range f.w.Log.Forward(f.at) {
		if err != nil {
			return err
		}
		f.at = line.Next()
		if _, ok := lifeSign(&line); !ok {
			continue
		}
		if r := recordOf(&line); r != nil {
			r.Data = bytes.Clone(r.Data)
			f.last[r.Session] = r
		}
	}
	return nil
}

// Close frees what the follower holds. Its next Status opens the project again.
func (f *Follower) Close() {
	if f.w != nil {
		f.w.Close()
	}
	*f = Follower{root: f.root}
}

// Versions is a text that differs once a file has been written.
func Versions(files []string) (text string) {
	for _, name := range files {
		if st, err := os.Stat(name); err == nil {
			text += st.ModTime().String() + " " + strconv.FormatInt(st.Size(), 10)
		}
		text += "\n"
	}
	return text
}
