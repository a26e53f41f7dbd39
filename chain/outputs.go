package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"aburn/internal/project"
	"aburn/logfmt"
)

const (
	// MaxHashed is the size of the largest file that is hashed, in bytes. maxHashedSum bounds all
	// files of one answer.
	MaxHashed    = 64 << 20
	maxHashedSum = 256 << 20
	maxPathBytes = 4096
)

// OutputState is the state of an output now.
type OutputState string

const (
	Same      OutputState = "same"      // it has the recorded hash
	Exists    OutputState = "exists"    // it exists; no hash was recorded (another tool's entry, a folder)
	Changed   OutputState = "changed"   // its size, kind or hash differs
	Gone      OutputState = "gone"      // it does not exist
	Unchecked OutputState = "unchecked" // see Reason
)

// Output is one file that a COMPLETE names.
type Output struct {
	Path   string      `json:"path"` // as logged: relative to the entry's worktree
	State  OutputState `json:"state"`
	Reason string      `json:"reason,omitempty"` // why it was not checked
	SHA256 string      `json:"sha256,omitempty"` // as recorded
	Bytes  int64       `json:"bytes,omitempty"`  // as recorded
	sized  bool
}

// recorded reads data.outputs: paths, as other tools log them, or objects {path, sha256, bytes}.
func recorded(data []byte) []Output {
	var outputs []Output
	gjson.GetBytes(data, "outputs").ForEach(func(_, v gjson.Result) bool {
		o := Output{}
		if v.Type == gjson.String {
			o.Path = v.Str
		} else if v.IsObject() {
			size := v.Get("bytes")
			o.Path, o.SHA256, o.Bytes, o.sized = v.Get("path").String(), v.Get("sha256").String(), size.Int(), size.Exists()
		}
		if o.Path != "" {
			outputs = append(outputs, o)
		}
		return len(outputs) < maxListed
	})
	return outputs
}

// outputs examines the files that e names, in e's worktree.
func (s *search) outputs(e *logfmt.Entry) []Output {
	outputs := recorded(e.Data)
	if len(outputs) == 0 {
		return nil
	}
	dir := s.log.Folder(e.Wt)
	root, err := os.OpenRoot(dir)
	if dir == "" || err != nil {
		for i := range outputs {
			outputs[i].State, outputs[i].Reason = Unchecked, "its worktree is gone"
		}
		return outputs
	}
	defer root.Close()
	c := checker{root: root, dir: dir, left: maxHashedSum}
	for i := range outputs {
		o := &outputs[i]
		o.State, o.Reason = c.check(o)
	}
	return outputs
}

// Folder is the folder of a worktree that entries name, or "" if it is no worktree of this
// project. A name from a log must not lead anywhere else.
func (l *Log) Folder(wt string) string {
	p := l.project
	switch wt {
	case p.Wt:
		return p.Worktree
	case "":
		return p.Root
	}
	if filepath.IsAbs(wt) {
		return ""
	}
	dir := filepath.Join(p.Root, filepath.FromSlash(wt))
	other, err := project.Find(dir, l.env)
	if err != nil || other.Root != p.Root || other.Wt != wt {
		return ""
	}
	return other.Worktree
}

// ErrOutside says that an output lies outside of the worktree of its entry.
var ErrOutside = errors.New("outside the worktree")

// Locate returns the absolute path of an output of worktree wt. An output that isn't a file, such as an address, and one that logging has changed
// have no path: "". The error is ErrOutside if the path, or a link in it, leads out of the worktree: a log may name any file, and a script that
// reads the file that it names would read that one.
func (l *Log) Locate(wt, output string) (string, error) {
	if output == "" || strings.Contains(output, "://") || isCleaned(output) {
		return "", nil
	}
	dir := l.Folder(wt)
	if dir == "" {
		return "", ErrOutside
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", ErrOutside
	}
	defer root.Close()
	c := checker{root: root, dir: dir}
	name, ok := c.local(output)
	if !ok {
		return "", ErrOutside
	}
	if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrPermission) {
		return "", ErrOutside
	}
	return filepath.Join(dir, name), nil
}

// checker examines files below one worktree. It follows no link out of it.
type checker struct {
	root *os.Root
	dir  string
	left int64 // bytes that may still be hashed
}

func (c *checker) check(o *Output) (OutputState, string) {
	if strings.Contains(o.Path, "://") { // such as a pull request or a deployment
		return Unchecked, "not a file"
	}
	if isCleaned(o.Path) {
		return Unchecked, "the log has another form of its name"
	}
	name, ok := c.local(o.Path)
	if !ok {
		return Unchecked, "outside the worktree"
	}
	st, err := c.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // a file may have replaced its folder
		return Gone, ""
	case errors.Is(err, fs.ErrPermission):
		return Unchecked, "not readable"
	case err != nil:
		return Unchecked, "a link that leads out of the worktree, or nowhere"
	case st.IsDir():
		return ifPlain(o, Exists, Changed), ""
	case !st.Mode().IsRegular():
		return Unchecked, "not a regular file"
	case o.sized && o.Bytes != st.Size():
		return Changed, ""
	case o.SHA256 == "":
		return Exists, ""
	case st.Size() > MaxHashed:
		return Unchecked, "larger than 64 MiB"
	case st.Size() > c.left:
		return Unchecked, "too much to hash at once"
	}
	return c.hash(name, o.SHA256)
}

// isCleaned reports whether logging changed a text: a secret was removed, or a character that acts
// on a terminal. It does not examine the file that the text names.
func isCleaned(text string) bool {
	return strings.Contains(text, "[redacted:") || strings.ContainsRune(text, utf8.RuneError)
}

// ifPlain returns plain if only the path was recorded, and hashed otherwise.
func ifPlain(o *Output, plain, hashed OutputState) OutputState {
	if o.SHA256 == "" {
		return plain
	}
	return hashed
}

// local is path relative to the worktree, if it lies in it.
func (c *checker) local(path string) (string, bool) {
	if len(path) > maxPathBytes || strings.ContainsRune(path, 0) || strings.HasPrefix(path, "~") {
		return "", false
	}
	name := filepath.FromSlash(path)
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(c.dir, name)
		if err != nil {
			return "", false
		}
		name = rel
	}
	return name, filepath.IsLocal(name)
}

// hash compares the file with the recorded hash. The opening does not hang if a pipe has replaced
// the file.
func (c *checker) hash(name, want string) (OutputState, string) {
	f, err := c.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return Unchecked, "not readable"
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return Unchecked, "not a regular file"
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, MaxHashed))
	c.left -= n
	if err != nil {
		return Unchecked, "not readable"
	}
	if !strings.EqualFold(hex.EncodeToString(h.Sum(nil)), want) {
		return Changed, ""
	}
	return Same, ""
}
