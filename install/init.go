package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"aburn/internal/atomicfile"
	"aburn/internal/project"
	"aburn/internal/settings"
)

// Init is what InitProject has made.
type Init struct {
	Root    string   // the real path of the project
	Created []string // paths relative to Root, in order; empty if all existed
	Marked  bool     // this call marked the project as trusted; false if it was marked before
}

// InitProject makes dir a project of this user: it makes .oss/ (mode 0700) with a .gitignore and a settings file, and
// the mark of trust outside of it. It leaves existing files alone, so a second call changes nothing. It refuses a
// .oss that is a link or a file, belongs to somebody else, or is writable by others.
func InitProject(dir string, env func(string) string) (Init, error) {
	root, err := realDir(dir)
	if err != nil {
		return Init{}, err
	}
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
		return done, err
	}
	done.Marked = true
	return done, project.Mark(root)
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
	return true
}
