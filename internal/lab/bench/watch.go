package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"aburn/internal/journal"
	"aburn/logfmt"
)

// watchCase measures the time from an entry on disk to the issue in the output of `aburn supervisor watch --json`.
func watchCase(w *world, pg *page) error {
	dir := w.path("watch")
	if err := w.projectIn(dir, `{}`); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(filepath.Join(dir, ".oss"))
	if err != nil {
		return err
	}
	defer root.Close()
	log := journal.New(root, journal.Options{By: journal.Command})
	if err := fail(log, "warm-up"); err != nil {
		return err
	}
	cmd := exec.Command(w.bin("aburn"), "-C", dir, "supervisor", "watch", "--json")
	cmd.Env = w.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}()
	seen := make(chan string, 1024)
	go readSessions(bufio.NewScanner(out), seen)
	if err := waitFor(seen, "warm-up"); err != nil {
		return err
	}
	var latencies []time.Duration
	for round := range pg.rounds {
		session := fmt.Sprintf("session-%d", round)
		if err := fail(log, session); err != nil {
			return err
		}
		at := time.Now()
		if err := waitFor(seen, session); err != nil {
			return err
		}
		latencies = append(latencies, time.Since(at))
	}
	slices.Sort(latencies)
	p99 := latencies[len(latencies)*99/100]
	verdict := ""
	if p99 > 100*time.Millisecond {
		verdict = missed
	}
	pg.section("From an entry to the watcher's report",
		fmt.Sprintf("The time from the end of the append of a FAILED to the line of `aburn supervisor watch --json`, %d rounds.", pg.rounds))
	pg.table("median", "p99", "slowest", "bound")
	pg.row(ms(median(latencies)), ms(p99), ms(latencies[len(latencies)-1]), "p99 ≤ 100 ms"+verdict)
	return nil
}

// fail logs a command that begins and fails, in a session of its own.
func fail(log *journal.Journal, session string) error {
	for _, ev := range []logfmt.Event{logfmt.Start, logfmt.Failed} {
		e := &logfmt.Entry{Time: time.Now(), Cmd: "build", Event: ev, Session: logfmt.SessionID(session), Source: "prompt", ID: journal.NewID()}
		if _, err := log.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
			return err
		}
	}
	return nil
}

// readSessions sends the session of each line.
func readSessions(lines *bufio.Scanner, seen chan<- string) {
	defer close(seen)
	for lines.Scan() {
		var line struct{ Session, Type, Event string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Type == "explicit_failure" && line.Event == "raised" {
			seen <- line.Session
		}
	}
}

func waitFor(seen <-chan string, session string) error {
	deadline := time.After(20 * time.Minute)
	for {
		select {
		case got, ok := <-seen:
			if !ok {
				return errors.New("the watcher ended")
			}
			if got == session {
				return nil
			}
		case <-deadline:
			return fmt.Errorf("the watcher said nothing of %s", session)
		}
	}
}
