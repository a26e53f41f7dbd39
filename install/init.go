package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"aburn/internal/project"
	"aburn/internal/settings"
)

// Init says what InitProject made.
type Init struct {
	Root    string   // the real path of the project
	Created []string // paths relative to Root, in the order of their making; empty when all was there
	Marked  bool     // this call vouched for the project; false when it was vouched for before
}

// InitProject makes dir a project of this user: .oss/ (mode 0700) with a .gitignore of its own and a settings file, and
// the mark of trust outside of it. What exists is left as it is, so that doing it twice changes nothing. A .oss that is
// a link, a file, somebody else's or writable by others is refused.
func InitProject(dir string, env func(string) string) (Init, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return Init{}, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return Init{}, err
	}
	done := Init{Root: root}
	oss := filepath.Join(root, project.OssDir)
	switch err := os.Mkdir(oss, 0o700); {
	case err == nil:
		done.Created = append(done.Created, project.OssDir+"/")
	case !errors.Is(err, fs.ErrExist):
		return done, err
	}
	made, err := fillOss(root, env)
	done.Created = append(done.Created, made...)
	if err != nil {
		return done, err
	}
	if p, err := project.Find(root, env); err == nil && p.Root == root && p.Marked {
		return done, nil
	}
	done.Marked = true
	return done, project.Mark(root)
}

// ossFiles is what a new .oss holds.
func ossFiles() []struct {
	name string
	data []byte
} {
	return []struct {
		name string
		data []byte
	}{
		{".gitignore", []byte("*\n")},
		{"settings.json", settings.Default()},
	}
}

func fillOss(root string, env func(string) string) (made []string, err error) {
	p, err := project.Find(root, env)
	if err != nil {
		return nil, err
	}
	if p.Root != root {
		return nil, fmt.Errorf("%s is no project folder: it belongs to %s", filepath.Join(root, project.OssDir), p.Root)
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil, err
	}
	defer oss.Close()
	for _, f := range ossFiles() {
		w, err := oss.OpenFile(f.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return made, err
		}
		_, err = w.Write(f.data)
		if err = errors.Join(err, w.Close()); err != nil {
			return made, err
		}
		made = append(made, project.OssDir+"/"+f.name)
	}
	return made, nil
}
