package demo

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"aburn/internal/project"
	"aburn/logfmt"
)

// The workers of the demo are ledgers, and what holders heard, of real workers with a scripted agent, as aburn recorded them; the pull
// request of one was told to its ledger by hand. What names the computer was taken out, and each process: nobody looks for one, and
// nothing can be done with these workers.

// recordedWorkers are their names, with how many minutes ago each began, in the order of the log.
var recordedWorkers = []struct {
	name    string
	minutes int
}{{"export", 58}, {"paging", 44}, {"fix-rounding", 31}, {"slow-tests", 17}, {"migrate-carts", 9}}

// workersBegan is when the recording of them began.
var workersBegan = time.Date(2026, 11, 23, 7, 44, 11, 0, time.UTC)

var millis = regexp.MustCompile(`(?m)^1795\d{9} `)

// leaveWorkers puts the workers into the user's state, and their entries before those of the demo.
func (d *Demo) leaveWorkers() error {
	root, err := filepath.EvalSymlinks(d.project)
	if err != nil {
		return err
	}
	key, state := project.StateKey(root), project.StateDir(os.Getenv)
	trees := filepath.Join(state, project.TreesDir, key)
	wt, err := filepath.Rel(root, trees)
	if err != nil {
		return err
	}
	to := strings.NewReplacer("@TREES@", filepath.ToSlash(trees), "@WT@", filepath.ToSlash(wt), "@KEY@", key, recordedFolder, filepath.ToSlash(root))
	log, err := files.ReadFile("recorded/workers/log.jsonl")
	if err != nil {
		return err
	}
	for _, w := range recordedWorkers {
		by := time.Now().Add(-time.Duration(w.minutes) * time.Minute).Sub(workersBegan)
		again := func(text []byte) string {
			return to.Replace(millis.ReplaceAllStringFunc(laterBy(string(text), by), func(at string) string {
				n, _ := strconv.ParseInt(strings.TrimSpace(at), 10, 64)
				return fmt.Sprintf("%d ", n+by.Milliseconds())
			}))
		}
		if err := leaveWorker(w.name, filepath.Join(state, "workers", key, w.name), again); err != nil {
			return err
		}
		for lines := bufio.NewScanner(bytes.NewReader(log)); lines.Scan(); {
			if !strings.Contains(lines.Text(), "@WT@/"+w.name+`"`) {
				continue
			}
			e, err := logfmt.Parse([]byte(again(lines.Bytes())))
			if err != nil {
				return err
			}
			d.before = append(d.before, &e)
		}
	}
	return nil
}

// leaveWorker copies the files of a worker.
func leaveWorker(name, dir string, again func([]byte) string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	from := path.Join("recorded/workers", name)
	entries, err := fs.ReadDir(files, from)
	if err != nil {
		return err
	}
	for _, f := range entries {
		text, err := files.ReadFile(path.Join(from, f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), []byte(again(text)), 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// laterBy shifts all times of a text.
func laterBy(text string, by time.Duration) string {
	return instant.ReplaceAllStringFunc(text, func(at string) string {
		t, err := time.Parse("2006-01-02T15:04:05.000Z", at)
		if err != nil {
			return at
		}
		return t.Add(by).UTC().Format("2006-01-02T15:04:05.000Z")
	})
}
