package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"aburn/internal/atomicfile"
	"aburn/internal/hold"
	"aburn/worker/slot"
)

// note is a message in the inbox.
type note struct {
	slot.Message
	path string
}

// inbox is the messages that wait, in order. Their files are NUMBER.ID.
func inbox(h slot.Handle) (list []note, err error) {
	folder := filepath.Join(h.Dir, inboxName)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		_, id, ok := strings.Cut(e.Name(), ".")
		if !ok || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(folder, e.Name())
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its turn is over
		}
		if err != nil {
			return list, err
		}
		list = append(list, note{slot.Message{ID: id, Text: string(text)}, path})
	}
	return list, err
}

// Waiting is how many messages wait, or are being worked on.
func Waiting(h slot.Handle) int {
	list, _ := inbox(h)
	return len(list)
}

// Put puts a message into the inbox, once. The caller is alone, or nothing runs yet.
func Put(h slot.Handle, m slot.Message) error {
	if m.ID == "" || len(m.ID) > 64 || strings.Trim(m.ID, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return fmt.Errorf("no id of a message: %q", m.ID)
	}
	waiting, err := inbox(h)
	if err != nil {
		return err
	}
	n := 0
	for _, w := range waiting {
		if w.ID == m.ID {
			return nil
		}
		n, _ = strconv.Atoi(filepath.Base(w.path)[:8])
	}
	if len(waiting) >= maxWaiting {
		return ErrFull
	}
	return put(h, n/apart*apart+apart, m)
}

// apart is how far the numbers of messages are apart, so that one can come between.
const apart = 10

func put(h slot.Handle, n int, m slot.Message) error {
	folder := filepath.Join(h.Dir, inboxName)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, fmt.Sprintf("%08d.%s", n, m.ID)), []byte(m.Text), 0o600, atomicfile.Options{Sync: true})
}

// Drop takes messages out of the inbox, which others tell now. The agent does not run in lines.
func Drop(h slot.Handle, which func(id string) bool) {
	list, _ := inbox(h)
	for _, m := range list {
		if which(m.ID) {
			os.Remove(m.path)
		}
	}
}

// Forget removes what was said with an agent, in all generations.
func Forget(dir string, gens int) {
	for gen := 1; gen <= gens; gen++ {
		hold.Forget(dir, gen)
		os.Remove(hold.Path(dir, "talk", gen))
	}
	os.RemoveAll(filepath.Join(dir, inboxName))
}
