package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// maxMap bounds how many bytes of a file that maps projects are read.
const maxMap = 4 << 20

// locate returns the folder that the session in the file at path worked in, or "". The program names the folder of its
// sessions after the project and stores which project that is; older versions named it by the hash of the project's
// path.
func locate(path, hash string, dirs []string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) != "chats" {
		dir = filepath.Dir(dir) // a sub-agent's folder lies one deeper
	}
	slug := filepath.Dir(dir)
	if root := strings.TrimSpace(small(filepath.Join(slug, ".project_root"))); filepath.IsAbs(root) {
		return root
	}
	var known, all []string
	object([]byte(small(filepath.Join(slug, "..", "..",
		"projects.json")))).Get("projects").Members(func(project []byte, x value) {
		all = append(all, string(project))
		if x.Str() == filepath.Base(slug) {
			known = append(known, string(project))
		}
	})
	if len(known) == 1 {
		return known[0]
	}
	return verified(hash, append(all, dirs...))
}

// verified returns the first folder whose path has this hash, or "".
func verified(hash string, dirs []string) string {
	for _, dir := range dirs {
		sum := sha256.Sum256([]byte(dir))
		if hash != "" && hex.EncodeToString(sum[:]) == hash {
			return dir
		}
	}
	return ""
}

// small returns the content of a small file, or "".
func small(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMap {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}
