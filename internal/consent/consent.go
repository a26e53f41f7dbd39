// Package consent remembers which command lines of a project this user permitted, outside of the
// project. A repository cannot bring its own: each line stands there as a code made with the key of
// the project's mark of trust. It says nothing of what a command line runs.
package consent

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"aburn/internal/atomicfile"
	"aburn/internal/project"
)

// Given reports whether this user permitted exactly this command line for the project. Without a
// mark nothing is permitted.
func Given(p *project.Project, line string) bool {
	key, err := p.Key()
	if err != nil {
		return false
	}
	data, err := os.ReadFile(p.Consents())
	return err == nil && slices.Contains(strings.Fields(string(data)), code(key, line))
}

// Give permits command lines for the project, beside those that are. Without a mark the error is
// fs.ErrNotExist. Call it only when a person has seen the lines and said yes.
func Give(p *project.Project, lines ...string) error {
	key, err := p.Key()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(p.Consents())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	codes := strings.Fields(string(data))
	for _, line := range lines {
		if c := code(key, line); !slices.Contains(codes, c) {
			codes = append(codes, c)
		}
	}
	return atomicfile.Write(p.Consents(), []byte(strings.Join(codes, "\n")+"\n"), 0o600, atomicfile.Options{})
}

func code(key []byte, line string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("command line\x00" + line))
	return hex.EncodeToString(m.Sum(nil))
}
