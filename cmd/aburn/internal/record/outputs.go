package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/logfmt"
)

// maxHashed is the largest output that is hashed; of larger ones only the size
// is recorded.
const maxHashed = 64 << 20

// outputs is the list for an entry's data.outputs: {path, sha256, bytes} of
// each, path relative to the worktree's root. An output that is not there is an
// error: an entry that names what does not exist would mislead whoever builds
// on it, and now is when the caller can correct it.
func outputs(w *scope.Workspace, paths []string) ([]byte, error) {
	list := []byte{'['}
	for i, path := range paths {
		if i > 0 {
			list = append(list, ',')
		}
		one, err := output(w, path)
		if err != nil {
			return nil, err
		}
		list = append(list, one...)
	}
	return append(list, ']'), nil
}

func output(w *scope.Workspace, path string) ([]byte, error) {
	var o logfmt.Object
	if strings.Contains(path, "://") { // a pull request, a deployment: recorded as it is
		return o.Str("path", keptPath(path)).Bytes(), nil
	}
	if path == "" {
		return nil, kit.UsageError("--output is empty")
	}
	file := w.Resolve(path)
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, kit.BadNews("output "+plain.Line(path)+" does not exist; nothing was logged",
			"write the file first, then log; paths are relative to the current folder")
	}
	if err != nil {
		return nil, kit.BadNews("output " + err.Error() + "; nothing was logged")
	}
	o.Str("path", keptPath(w.Rel(file)))
	if !st.Mode().IsRegular() { // a folder, for instance
		return o.Bytes(), nil
	}
	if st.Size() > maxHashed {
		return o.Int("bytes", st.Size()).Bytes(), nil
	}
	sum, n, err := hashFile(file)
	if err != nil {
		return nil, kit.BadNews("output " + err.Error() + "; nothing was logged")
	}
	return o.Str("sha256", sum).Int("bytes", n).Bytes(), nil
}

// keptPath is a path as the log keeps it: every space as it is, because the file
// is looked for by this name. What cannot be kept, a secret or a character that
// no person is shown, leaves a mark, by which chain knows that it is not the name.
func keptPath(path string) string {
	path, _ = scrub.Text(path)
	return strings.Map(func(r rune) rune {
		if plain.Person(r) == plain.Replacement {
			return plain.Replacement
		}
		return r // what is only taken out where it is shown belongs to the name
	}, path)
}

// hashFile returns the SHA-256 and size of what was read, so that the two belong together.
func hashFile(path string) (sum string, n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if n, err = io.Copy(h, f); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}
