package worker

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var columnNames = [columns]string{"NS", "W", "V", "I", "N", "D", "S", "F", "T"}

// rowNames are the events of each row of testdata/table.md.
var rowNames = map[string][]event{
	"launched": {launched}, "launch failed": {launchFailed}, "agent's start (startup, resume)": {agentStarted}, "prompt": {prompt},
	"tool began, ended": {toolBegan, toolEnded}, "tool ended": {toolEnded}, "permission, question, `ask`": {asks},
	"turn ended": {turnEnded}, "turn failed (API error)": {turnFailed}, "interrupted (hook or transcript)": {interrupted},
	"agent's end: clear, resume": {sessionCleared}, "agent's end: other": {sessionEnded}, "certificate, asked for": {endAsked},
	"certificate, exit 0, unasked": {endClean}, "certificate, else": {endFailed}, "probe: both alive": {bothAlive},
	"probe: process dead, runtime alive": {processDead}, "probe: both dead": {bothDead}, "probe: runtime dead, process alive": {runtimeDead},
	"probe: unknown": {notSeen}, "no progress": {noProgress}, "other boot id": {otherBoot}, "budget reached": {budgetReached},
	"PR merged / closed": {pullEnded}, "`done`": {saysDone}, "`done`, gates to run": {saysDoneGated}, "gates passed": {gatesPassed},
	"gates failed": {gatesFailed}, "gates failed too often": {gatesGaveUp}, "tree removed": {treeRemoved}, "`kill --forget`": {forgotten},
	"restored": {restored}, "question answered": {answered},
}

// cellTexts are the cells of the page that each cell of the code is, a bare letter with its row's reason added.
var cellTexts = map[cell][]string{
	same: {"=", "–"}, spawn: {"= spawn_requested"}, fresh: {"NS, gen+1", "NS"}, work: {"W*"}, verif: {"V verifying"}, ack: {"I agent_acknowledged"},
	rest: {"I*", "I"}, decid: {"I merged_/pr_closed_waiting_decision"}, wait: {"N awaiting_user_input"}, fails: {"N error_in_process"},
	spent: {"N budget_reached"}, nover: {"N verify_failed"}, gone: {"D agent_process_exited"}, lost: {"D runtime_lost"}, blind: {"D³ probe_failure"},
	prove: {"= or T¹"}, reach: {"S² out_of_reach"}, dark: {"S² probe_failure"}, stall: {"S no_progress"}, back: {"by last agent fact"},
	unblk: {"same, if probe_failure"}, reviv: {"R"}, rwork: {"R→W"}, rrest: {"R", "R→I"}, rwait: {"R→N"}, call: {"= unless it is the asked call: W*"},
	finis: {"F research_complete"}, asAsk: {"T as asked"}, exit0: {"T agent_process_exited"}, crash: {"T error_in_process"},
	boot: {"T runtime_lost"}, clean: {"T auto_cleanup"}, forgt: {"T probe_failure"},
}

// page is the cells of testdata/table.md, by event and column.
func page(t *testing.T) map[event]map[column]string {
	t.Helper()
	text, err := os.ReadFile("testdata/table.md")
	if err != nil {
		t.Fatal(err)
	}
	cells := map[event]map[column]string{}
	var head []string
	section := ""
	for l := range strings.Lines(string(text)) {
		l = strings.TrimSpace(l)
		if s, ok := strings.CutPrefix(l, "## "); ok {
			section = s
		}
		if !strings.HasPrefix(l, "|") || strings.HasPrefix(l, "|-") {
			continue
		}
		row := strings.Split(strings.Trim(l, "|"), "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if row[0] == "event" {
			head = row[1:]
			continue
		}
		if rowNames[row[0]] == nil {
			t.Fatalf("no event is the row %q", row[0])
		}
		if section == "Deviations" {
			set(t, cells, row[0], row[1], row[2], "", true)
			continue
		}
		reason := ""
		for i, c := range row[1:] {
			if _, why, ok := strings.Cut(c, " "); ok && reason == "" {
				reason = why
			}
			set(t, cells, row[0], head[i], c, reason, false)
		}
	}
	return cells
}

func set(t *testing.T, cells map[event]map[column]string, row, col, c, reason string, again bool) {
	t.Helper()
	at := column(slices.Index(columnNames[:], col))
	if at >= columns {
		t.Fatalf("no column is named %q", col)
	}
	if len(c) == 1 && strings.Contains("WVINDSFT", c) && reason != "" {
		c += " " + reason
	}
	for _, e := range rowNames[row] {
		if cells[e] == nil {
			cells[e] = map[column]string{}
		}
		if _, had := cells[e][at]; had != again {
			t.Fatalf("row %q says column %s: %v before", row, col, had)
		}
		cells[e][at] = c
	}
}

// The table in the code is the table on the page, cell by cell, without holes.
func TestTable(t *testing.T) {
	cells := page(t)
	for e := noEvent + 1; e < events; e++ {
		for c := range columns {
			want, ok := cells[e][c]
			if !ok {
				t.Errorf("event %d has no cell %s on the page", e, columnNames[c])
			} else if got := table[e][c]; got == hole || !slices.Contains(cellTexts[got], want) {
				t.Errorf("event %d in %s is cell %v, the page says %q", e, columnNames[c], cellTexts[got], want)
			}
		}
	}
}

// story writes facts of a worker that was launched with gates as one likes: each call is a fact, one second later.
type story struct {
	facts []Fact
	seq   [files]uint64
	at    time.Time
	up    time.Duration
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func newStory() *story { return &story{at: noon, up: time.Hour} }

// add gives f its file, place and times where it has none.
func (s *story) add(f Fact) *story {
	if !f.Kind.agents() {
		f.File = Ledger
		if f.Gen == 0 {
			f.Gen = 1
		}
		if f.Up == 0 {
			f.Up = s.up
		}
		if f.Boot == "" {
			f.Boot = "b1"
		}
	}
	s.seq[f.File]++
	f.Seq, f.At = s.seq[f.File], s.at
	s.at, s.up = s.at.Add(time.Second), s.up+time.Second
	s.facts = append(s.facts, f)
	return s
}

func (s *story) wait(d time.Duration) *story {
	s.at, s.up = s.at.Add(d), s.up+d
	return s
}

func (s *story) worker() *Worker { return Reduce(s.facts) }

func (s *story) launch(gated bool) *story {
	s.add(Fact{Kind: Requested, Gates: gated, Retries: 1})
	return s.add(Fact{Kind: Launched, Proc: &Process{10, 100}, Host: "here", Server: "tmux", Hooks: true})
}

func (s *story) probe(runtime, process, holder Life) *story {
	return s.add(Fact{Kind: Probed, Runtime: runtime, Process: process, Holder: holder})
}

// stand brings a worker into a column of the table.
func stand(c column) *story {
	s := newStory().launch(c == colVerify)
	if c != colNotStarted {
		s.add(Fact{Kind: Started}).add(Fact{Kind: Prompted})
	}
	switch c {
	case colVerify, colDone:
		s.add(Fact{Kind: SaysDone})
	case colIdle:
		s.add(Fact{Kind: TurnEnded})
	case colNeeds:
		s.add(Fact{Kind: Asks, Call: "asked"})
	case colDetecting:
		s.add(Fact{Kind: Ended})
	case colStuck:
		s.add(Fact{Kind: NoProgress})
	case colTerminated:
		s.add(Fact{Kind: Certificate, Proc: &Process{10, 100}})
	}
	return s
}

// happen is the facts that give event e in column c with all that its conditions ask for.
func happen(s *story, e event) {
	alive := Fact{Proc: &Process{11, 101}, Alive: true, Call: "asked"}
	agents := map[event]Kind{
		agentStarted: Started, prompt: Prompted, toolBegan: ToolBegan, toolEnded: ToolEnded, asks: Asks, answered: Answered, turnEnded: TurnEnded,
		turnFailed:  TurnFailed,
		interrupted: Interrupted, sessionCleared: Cleared, sessionEnded: Ended, saysDone: SaysDone, saysDoneGated: SaysDone,
	}
	ledger := map[event]Fact{
		launched: {Kind: Launched, Boot: "b1"}, launchFailed: {Kind: LaunchFailed}, endClean: {Kind: Certificate, Exit: new(int)},
		endFailed: {Kind: Certificate}, noProgress: {Kind: NoProgress}, otherBoot: {Kind: Probed, Boot: "b2"}, budgetReached: {Kind: Budgeted, Full: true},
		pullEnded: {Kind: Pulled, Is: PullMerged, PR: 3}, gatesPassed: {Kind: Gated, Is: GatePassed}, gatesFailed: {Kind: Gated, Is: GateFailed},
		treeRemoved: {Kind: Removed, Clean: true}, forgotten: {Kind: KillAsked, Forget: true}, restored: {Kind: Restored, Gen: 2},
	}
	lives := map[event][2]Life{bothAlive: {Alive, Alive}, processDead: {Alive, Dead}, bothDead: {Dead, Dead}, runtimeDead: {Dead, Alive}, notSeen: {}}
	switch f, ok := ledger[e]; {
	case ok:
		if f.Kind == Gated {
			s.add(Fact{Kind: Gated, Is: GateStarted})
		}
		s.add(f)
	case agents[e] != "":
		alive.Kind = agents[e]
		s.add(alive)
	case e == endAsked:
		s.add(Fact{Kind: KillAsked, Reason: PullRequestMerged}).add(Fact{Kind: Certificate, Exit: new(int)})
	case e == gatesGaveUp:
		s.add(Fact{Kind: Gated, Is: GateStarted}).add(Fact{Kind: Gated, Is: GateStarted}).add(Fact{Kind: Gated, Is: GateFailed})
	default:
		if e == saysDoneGated {
			s.facts[0].Gates = true
		}
		s.wait(time.Minute).probe(lives[e][0], lives[e][1], Dead)
		switch {
		case e == notSeen && s.worker().State == Working: // silence is measured from the first fact after the agent's last
			s.wait(time.Minute).probe("", "", "")
		case s.worker().State == Detecting, e == processDead, e == bothDead:
			s.wait(time.Minute).probe(lives[e][0], lives[e][1], Dead).wait(time.Minute).probe(lives[e][0], lives[e][1], Dead)
		}
	}
}

// What the page says happens: each event in each column, with the conditions of the cell fulfilled.
func TestTableHappens(t *testing.T) {
	letters := map[string]State{"NS": NotStarted, "W": Working, "V": Working, "I": Idle, "N": NeedsInput, "D": Detecting, "S": Stuck, "F": Done, "T": Terminated}
	cells := page(t)
	for e := noEvent + 1; e < events; e++ {
		for c := range columns {
			if e == saysDone && c == colVerify {
				continue // who verifies has gates, so its done is the other event
			}
			s := stand(c)
			if e == saysDoneGated {
				s.facts[0].Gates, s.facts[0].Retries = true, 1
				if c == colDone { // gates were asked for after it was done
					s.facts[0].Gates = false
					s.add(Fact{Kind: Requested, Gates: true})
				}
			}
			was := s.worker()
			if was.column() != c {
				t.Fatalf("the worker for %s stands in %s", columnNames[c], columnNames[was.column()])
			}
			happen(s, e)
			w := s.worker()
			want, why := expected(cells[e][c], e, was)
			state, ok := letters[want]
			if !ok {
				t.Fatalf("cell %q leads to no state", cells[e][c])
			}
			if dies := (e == processDead || e == bothDead) && c < colDone && c != colDetecting; dies {
				state, why = Terminated, cut(cells[e][colNotStarted]) // D at first, then by three rounds
			}
			if stuck := c < colDetecting && e == runtimeDead; stuck {
				state, why = Stuck, OutOfReach
			}
			if w.State != state || why != "" && w.Reason != why {
				t.Errorf("event %d in %s (%q) leads to %v %s, want %v %s", e, columnNames[c], cells[e][c], w.State, w.Reason, state, why)
			}
			if changed := w.State != was.State || w.Reason != was.Reason; changed && len(w.Evidence) == 0 {
				t.Errorf("event %d in %s has no evidence", e, columnNames[c])
			}
		}
	}
}

func cut(c string) Reason {
	_, why, _ := strings.Cut(c, " ")
	return Reason(why)
}

// expected is the state's letters and the reason that a cell of the page gives to who stood at was; "" is any reason.
func expected(c string, e event, was *Worker) (string, Reason) {
	here := columnNames[was.column()]
	switch c {
	case "=", "–", "same, if probe_failure":
		return here, was.Reason
	case "= spawn_requested":
		return here, SpawnRequested
	case "NS, gen+1", "NS":
		return "NS", SpawnRequested
	case "W*", "= unless it is the asked call: W*":
		return "W", TaskInProgress
	case "I*", "I":
		return "I", TurnIsOver
	case "I merged_/pr_closed_waiting_decision":
		return "I", MergedWaiting
	case "= or T¹":
		if was.State == Detecting {
			return "T", was.Reason
		}
		return "T", map[event]Reason{processDead: AgentProcessExited, bothDead: RuntimeLost}[e]
	case "by last agent fact":
		return "I", TurnIsOver // the last fact was the session's end
	case "R":
		if e == agentStarted {
			return "I", Revived
		}
		return "W", Revived
	case "R→W", "R→I", "R→N":
		return strings.TrimPrefix(c, "R→"), Revived
	case "T as asked":
		return "T", PullRequestMerged
	}
	letters, why, _ := strings.Cut(c, " ")
	return strings.TrimRight(letters, "¹²³"), Reason(why)
}
