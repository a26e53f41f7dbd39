package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aburn/internal/journal"
)

// promptSession is whose prompts the payloads tell.
const promptSession = "b97d2ad7-d108-46fe-9fe9-644dc86c4e02"

// waiting is how many tasks wait in the queue.
const waiting = 50

// promptCase times a prompt's hook, its look included, with tasks in the queue: those of other sessions, which it has
// to leave alone, and those of its own, which it hands over. Before each round the queue, the log and the state are
// put back: no round pays for what another one wrote, and nothing that the log calls delivered is left alone.
func promptCase(w *world, pg *page) error {
	if _, err := writeWork(filepath.Join(w.project, ".oss", journal.Name), 1<<20); err != nil {
		return err
	}
	own, err := w.tasks(promptSession)
	if err != nil {
		return err
	}
	before, err := w.lookedAt()
	if err != nil {
		return err
	}
	others := bytes.ReplaceAll(own, []byte(promptSession), []byte("5b0c2f91-7a44-4e0a-9d53-000000000000"))
	empty := w.process("an empty Go process", w.bin("empty"))
	var contenders []*process
	for _, queue := range [][]byte{nil, others, own} {
		p := w.hookProcess("UserPromptSubmit", 400)
		p.before = func(int) error { return errors.Join(before.putBack(), w.putQueue(queue)) }
		contenders = append(contenders, p)
	}
	t, err := race(pg.rounds, append([]*process{empty}, contenders...)...)
	if err != nil {
		return err
	}
	if err := w.putQueue(nil); err != nil {
		return err
	}
	pg.section("A prompt with advice waiting",
		fmt.Sprintf("`aburn-hook claude` on UserPromptSubmit with its check, on a log of 1 MB that was judged to its end, with %d tasks in `.oss/queue.json`.",
			waiting))
	pg.table("process", "median", "against an empty Go process", "bound")
	pg.row("an empty Go process", ms(median(t[0])), "1.00 ×", "")
	pg.row("prompt, no queue", ms(median(t[1])), fmt.Sprintf("%.2f ×", ratio(median(t[1]), median(t[0]))), "")
	pg.bounded(ratio(median(t[2]), median(t[0])), 2, false, "prompt, tasks of other sessions", ms(median(t[2])))
	pg.bounded(ratio(median(t[3]), median(t[0])), 2, false, "prompt, tasks handed over", ms(median(t[3])))
	return nil
}

// tasks is a queue.json with tasks for a session, as `aburn queue add` writes it.
func (w *world) tasks(session string) ([]byte, error) {
	if err := w.putQueue(nil); err != nil {
		return nil, err
	}
	for i := range waiting {
		if err := w.aburn("queue", "add", "--session", session, fmt.Sprintf("Look at entry %d again: the tests of this package failed three times in a row.",
			i)); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(filepath.Join(w.project, ".oss", "queue.json"))
}

// moment is what the project's log and state were.
type moment struct {
	log, state string // their files
	size       int64  // of the log
	data       []byte // of the state
}

// lookedAt is the moment after a first prompt of the session and a look.
func (w *world) lookedAt() (*moment, error) {
	if _, err := w.hookProcess("UserPromptSubmit", 400).once(-1); err != nil {
		return nil, err
	}
	look := w.process("look", w.bin("aburn"), "supervisor")
	look.exits = []int{1} // something critical
	if _, err := look.once(0); err != nil {
		return nil, err
	}
	oss := filepath.Join(w.project, ".oss")
	m := &moment{log: filepath.Join(oss, journal.Name), state: filepath.Join(oss, "workflow-state.json")}
	info, err := os.Stat(m.log)
	if err != nil {
		return nil, err
	}
	m.size = info.Size()
	m.data, err = os.ReadFile(m.state)
	return m, err
}

func (m *moment) putBack() error {
	return errors.Join(os.Truncate(m.log, m.size), os.WriteFile(m.state, m.data, 0o600))
}

// putQueue puts a queue.json into the project; nil: none.
func (w *world) putQueue(data []byte) error {
	path := filepath.Join(w.project, ".oss", "queue.json")
	if data == nil {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	return os.WriteFile(path, data, 0o600)
}
