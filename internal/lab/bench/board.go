package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/journal"
	lab "aburn/internal/lab/world"
	"aburn/internal/proc"
	projects "aburn/internal/project"
	"aburn/logfmt"
	facts "aburn/worker"
	"aburn/worker/ledger"
)

// boardWorkers is how many workers the board has, and maxLogToBoard the bound from an entry of the log until the board that shows it was
// fetched.
const (
	boardWorkers  = 50
	maxLogToBoard = 150 * time.Millisecond
)

// board measures how fast a worker's card follows the log, beside many other cards.
func (p *page) board(b *browsing, home string) error {
	wt, err := b.hire(home)
	if err != nil {
		return err
	}
	took, size, err := b.firstByte("/")
	if err != nil {
		return err
	}
	p.row(fmt.Sprintf("first byte of / with %d workers", boardWorkers), fmt.Sprintf("%s, %d KB", ms(took), size>>10), limit("≤ 50 ms", took <= maxFirstByte))
	half, late, err := b.cards(wt, p.times(4*insightRounds))
	if err != nil {
		return err
	}
	p.row("a log entry until the board that shows the worker's new state is fetched, median", ms(half), "")
	p.row("the same, p95", ms(late), limit("≤ 150 ms", late <= maxLogToBoard))
	return nil
}

// hire writes ledgers of workers whose agents and holders are this process: a probe sees them live, however long the case takes. It
// returns what entries of the log call the tree of one of them.
func (b *browsing) hire(home string) (wt string, err error) {
	store, err := ledger.Open(b.shop, func(name string) string { return map[string]string{"HOME": home}[name] })
	if err != nil {
		return "", err
	}
	self, _ := proc.Self()
	for i := range boardWorkers {
		name := fmt.Sprintf("worker-%02d", i)
		tree := store.Tree(name)
		if err := os.MkdirAll(tree, 0o700); err != nil {
			return "", err
		}
		book := store.Book(name)
		asked := ledger.Entry{Fact: facts.Fact{Kind: facts.Requested, Gen: 1},
			Detail: ledger.Detail{Task: "make the totals of the cart exact", Agent: "claude", Via: "pty", Tree: tree, Branch: "aburn/" + name}}
		runs := ledger.Entry{Fact: facts.Fact{Kind: facts.Launched, Gen: 1, Hooks: true, Proc: &facts.Process{PID: self.PID, Start: self.Start}},
			Detail: ledger.Detail{Session: name}}
		if err := errors.Join(book.Create(nil), book.Append(asked, runs)); err != nil {
			return "", err
		}
		control := hold.Path(book.Dir, "control", 1)
		if err := lab.Mkfifo(control); err != nil {
			return "", err
		}
		held, err := os.OpenFile(control, os.O_RDWR, 0) // as its holder has it open
		if err != nil {
			return "", err
		}
		b.held = append(b.held, held)
		wt, err = filepath.Rel(b.shop, tree)
	}
	return filepath.ToSlash(wt), err
}

// cards has one worker ask and go on, each when the board shows what came before.
func (b *browsing) cards(wt string, n int) (half, most time.Duration, err error) {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Minute)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "GET", b.base+"/events", nil)
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Cookie", b.cookie)
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	oss, err := os.OpenRoot(filepath.Join(b.shop, projects.OssDir))
	if err != nil {
		return 0, 0, err
	}
	defer oss.Close()
	log := journal.New(oss, journal.Options{By: journal.Command})
	session := fmt.Sprintf("worker-%02d", boardWorkers-1)
	var all []time.Duration
	for i := range n + 1 {
		e := &logfmt.Entry{Cmd: logfmt.SessionCmd, Event: logfmt.Permission, Session: logfmt.SessionID(session), Source: "claude", Wt: wt,
			Data: []byte(`{"head":"go on"}`)}
		shows := "1"
		if i%2 == 1 {
			e.Event, shows = logfmt.Prompt, "0"
		}
		start := time.Now()
		_, err := log.Append(func(journal.Tail) []*logfmt.Entry {
			e.Time = time.Now()
			return []*logfmt.Entry{e}
		})
		if err != nil {
			return 0, 0, err
		}
		for shown := false; !shown; {
			if !lines.Scan() {
				return 0, 0, fmt.Errorf("entry %d: the stream of events ended before the board showed it", i)
			}
			if lines.Text() != "data: work" && lines.Text() != "data: now" {
				continue
			}
			text, _, err := b.get("/")
			if err != nil {
				return 0, 0, err
			}
			shown = fmt.Sprint(strings.Count(text, "needs you: asks")) == shows
		}
		if i > 0 { // the first one has everything opened
			all = append(all, time.Since(start))
		}
	}
	slices.Sort(all)
	return median(all), all[len(all)*95/100], nil
}
