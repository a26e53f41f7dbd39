package workers

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"aburn/attention"
	"aburn/insight/cost"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/web"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/worker"
	"aburn/worker/board"
	"aburn/worker/describe"
)

// squads are the workers of the projects that are shown; nothing without a board.
func (s *Pages) squads() []board.ProjectWorkers {
	if s.o.Board == nil {
		return nil
	}
	return s.o.Board.Projects()
}

// needy reports whether a worker waits for the user.
func needy(w *board.Standing) bool { return w.Zone == string(worker.ZoneNeedsYou) }

// Wait is a worker that waits for the user, or what another session asks.
type Wait struct {
	Root    string
	Session logfmt.SessionID // of a worker, its newest; "" if it has none, or a project asks
}

// Waits are the things that wait for the user: workers, and what other sessions ask. A worker's question is its own, and counts once.
func (s *Pages) Waits() (list []Wait) {
	asking := map[string]bool{}
	for _, squad := range s.squads() {
		for i := range squad.Workers {
			w := &squad.Workers[i]
			if !needy(w) {
				continue
			}
			one := Wait{Root: squad.Root}
			for _, id := range w.Sessions {
				asking[squad.Root+"\x00"+id], one.Session = true, logfmt.SessionID(id)
			}
			list = append(list, one)
		}
	}
	for _, p := range s.o.Projects.List() {
		if p.Err != nil {
			continue
		}
		for i := range p.Report.Waits {
			if id := p.Report.Waits[i].Session; id == "" || !asking[p.Of+"\x00"+string(id)] {
				list = append(list, Wait{p.Of, id})
			}
		}
	}
	return list
}

// Waiting is how many things wait for the user.
func (s *Pages) Waiting() int { return len(s.Waits()) }

// Living are the sessions of workers whose agent runs, by project and id.
func (s *Pages) Living() map[string]bool {
	living := map[string]bool{}
	for _, squad := range s.squads() {
		for i := range squad.Workers {
			if n := len(squad.Workers[i].Sessions); n > 0 && !squad.Workers[i].Over {
				living[squad.Root+"\x00"+squad.Workers[i].Sessions[n-1]] = true
			}
		}
	}
	return living
}

// zones are the columns of the board, in their order, with what each means.
var zones = []struct {
	zone worker.Zone
	id   string
	says string
}{
	{worker.ZoneNeedsYou, "needs", "asks, is stuck, or failed"},
	{worker.ZoneWorking, "works", "its agent is working"},
	{worker.ZoneInReview, "review", "its pull request is open"},
	{worker.ZoneReady, "ready", "for you to review and merge"},
	{worker.ZoneDone, "done", "its worktree is still there"},
}

// placed is a worker with its card.
type placed struct {
	*board.Standing
	card *pages.Worker
}

// place makes the cards of all workers, by zone, and returns the things without those that stand on one.
func (s *Pages) place(v Known, items []attention.Item) (zoned map[worker.Zone][]placed, rest []attention.Item) {
	zoned = map[worker.Zone][]placed{}
	of, ended := map[string]*pages.Worker{}, map[string]bool{} // by root and session
	for _, squad := range s.squads() {
		for _, id := range squad.Ended {
			ended[squad.Root+"\x00"+id] = true
		}
		for i := range squad.Workers {
			w := &squad.Workers[i]
			card := s.workerCard(v, w)
			zoned[worker.Zone(w.Zone)] = append(zoned[worker.Zone(w.Zone)], placed{w, &card})
			for _, id := range w.Sessions {
				of[squad.Root+"\x00"+id] = &card
			}
		}
	}
	for i := range items {
		item := &items[i]
		if item.Group == attention.Stuck && ended[item.Root+"\x00"+string(item.Session)] {
			continue // its process vanished because the user wanted that
		}
		card := of[item.Root+"\x00"+string(item.Session)]
		if card == nil || item.Session == "" || item.Group == attention.Waiting && !card.Needs {
			rest = append(rest, *item)
			continue
		}
		tellOnCard(card, item)
	}
	for _, list := range zoned {
		slices.SortStableFunc(list, func(a, b placed) int { return oldestFirst(a.card.SinceMS, b.card.SinceMS) })
	}
	return zoned, rest
}

// Board sorts the workers into zones, as far as the address's query asks for them. It returns the things without those that stand on a
// worker's card.
func (s *Pages) Board(v Known, items []attention.Item, query url.Values) (board pages.Board, rest []attention.Item) {
	cards, rest := s.place(v, items)
	f := filterOf(query)
	board.Notes, board.Act = s.Notes(), s.o.Act
	board.Projects, f.project = s.choice(f)
	for _, z := range zones {
		zone := pages.Zone{ID: z.id, Name: string(z.zone), Says: z.says}
		for _, one := range cards[z.zone] {
			if f.takes(one.Standing, z.id) {
				zone.Workers = append(zone.Workers, *one.card)
			}
		}
		board.Zones = append(board.Zones, zone)
		board.Count += len(cards[z.zone])
		board.Shown += len(zone.Workers)
	}
	s.offer(&board, f)
	return board, rest
}

// Zones are how many workers of a project stand in each zone that has any, with the way there.
func (s *Pages) Zones(root string) (list []pages.Link) {
	count, path := map[worker.Zone]int{}, "/"
	for _, squad := range s.squads() {
		if squad.Root == root {
			path = boardPath(squad.Key)
		}
		for i := range squad.Workers {
			if squad.Root == root {
				count[worker.Zone(squad.Workers[i].Zone)]++
			}
		}
	}
	for _, z := range zones {
		if n := count[z.zone]; n > 0 {
			list = append(list, pages.Link{Text: fmt.Sprintf("%d %s", n, strings.ToLower(string(z.zone))), Href: path + "#z-" + z.id})
		}
	}
	return list
}

// Notes say whose workers cannot be seen.
func (s *Pages) Notes() (list []pages.Note) {
	for _, squad := range s.squads() {
		if squad.Err != nil {
			f := fault.Of(squad.Err)
			list = append(list, show.Note(filepath.Base(squad.Root)+": its workers can't be read: "+f.Msg, f.Hints...))
		}
	}
	return list
}

// Listed is a thing of a list in which workers stand beside sessions.
type Listed struct {
	attention.Item
	Cost *cost.Sum // of a worker; nil where the archive has no session of it
}

// List is the board and the other things of the page in one list: workers that need the user before what else waits, and the others in
// the order of their zones before the sessions that live.
func (s *Pages) List(v Known, items []attention.Item) (all []Listed) {
	zoned, rest := s.place(v, items)
	add := func(zone worker.Zone) {
		for _, one := range zoned[zone] {
			all = append(all, one.listed(v, zone))
		}
	}
	living := slices.IndexFunc(rest, func(item attention.Item) bool { return item.Group == attention.Living })
	if living < 0 {
		living = len(rest)
	}
	add(zones[0].zone)
	for _, item := range rest[:living] {
		all = append(all, Listed{Item: item})
	}
	for _, z := range zones[1:] {
		add(z.zone)
	}
	for _, item := range rest[living:] {
		all = append(all, Listed{Item: item})
	}
	return all
}

// listed is a worker's card as a thing of a list.
func (p *placed) listed(v Known, zone worker.Zone) Listed {
	c := p.card
	one := Listed{Item: attention.Item{Group: attention.Living, Kind: attention.Idle, Root: p.Root, Branch: c.Branch, Source: p.Agent, Word: c.Words, What: c.What,
		Quoted: c.Quoted, Also: append(slices.Clone(c.Also), c.Remarks...),
		Worker: &attention.Worker{ID: c.ID, Name: p.Worker, Mark: c.Mark, Says: c.Words, Task: c.Task}}}
	switch zone {
	case worker.ZoneNeedsYou:
		one.Group, one.Kind = attention.Waiting, attention.Question
	case worker.ZoneWorking:
		one.Kind = attention.Working
	}
	if len(c.Asks) > 0 && one.Quoted == "" {
		one.What, one.Quoted = "asks", c.Asks[0].What
	}
	if one.What == "" && c.Says != "" {
		one.What = "says: " + c.Says
	}
	if n := len(p.Sessions); n > 0 {
		one.Session = logfmt.SessionID(p.Sessions[n-1])
	}
	if p.Since != nil {
		one.Since = *p.Since
	}
	if !p.Over {
		one.Worker.Attach = "cd " + shell.Quote(p.Root) + " && aburn attach " + p.Worker
	}
	if sum, _, ok := v.Cost(p.Standing); ok {
		one.Cost = &sum
	}
	return one
}

// oldestFirst puts what has no time last.
func oldestFirst(a, b int64) int {
	switch {
	case a == b:
		return 0
	case a == 0, b != 0 && a > b:
		return 1
	}
	return -1
}

// tellOnCard adds what is known of a worker's session.
func tellOnCard(card *pages.Worker, item *attention.Item) {
	switch item.Group {
	case attention.Waiting:
		card.What, card.Quoted, card.Proof = item.What, units.Join(item.Whole), item.ProofWords()
		if card.Quoted == "" {
			card.Quoted = item.Quoted
		}
	case attention.Stuck:
		card.Class = "stuck"
		card.Also = append(card.Also, item.Word+": "+item.What)
	case attention.Living:
		if item.Kind != attention.Working { // the newest entry only says that its turn ended
			break
		}
		card.Doing = plain.Line(item.Quoted)
	}
	card.Also = append(card.Also, item.Also...)
}

// workerCard is one card of the board.
func (s *Pages) workerCard(v Known, w *board.Standing) pages.Worker {
	card := pages.Worker{
		ID: "w-" + w.Key + "-" + w.Worker, Name: w.Worker, Href: workerPath(w.Key, w.Worker), Project: plain.Line(filepath.Base(w.Root)),
		Words: show.Scrubbed(w.Words),
		Task:  plain.Cut(show.Scrubbed(w.Task), 200), Agent: plain.Line(show.Agent(w.Agent)), Via: plain.Line(w.Via), Branch: plain.Line(w.Branch),
		Key: w.Key, Stat: w.Stat, Pull: pullOf(w), Clash: plain.Line(w.Clash),
		Conflict: slices.ContainsFunc(w.Overlaps, func(c describe.ClashReport) bool { return c.Kind == worker.OverlapConflict }),
		Needs:    needy(w), Remarks: w.Flags, Status: w.Status,
	}
	card.Mark, card.Class = workerLook(w)
	if w.Stat == "" && w.Changes != nil {
		card.Stat = plain.Plural(int64(*w.Changes), "file") + " changed"
	}
	if w.Says != "" {
		card.Says = plain.Cut(show.Scrubbed(w.Says), 400)
	}
	for _, q := range w.Asks {
		card.Asks = append(card.Asks, pages.Question{ID: q.ID, What: plain.Cut(show.Scrubbed(q.What), 400)})
	}
	if w.Messages > 0 {
		card.Remarks = append(slices.Clone(card.Remarks), plain.Plural(int64(w.Messages), "message waits for it", "messages wait for it"))
	}
	if w.Running != "" {
		card.Remarks = append(slices.Clone(card.Remarks), "running: "+show.Scrubbed(w.Running))
	}
	if w.Stray {
		card.Href = "" // it has no page: there is no ledger
	} else if w.Error != "" {
		card.Remarks = append(slices.Clone(card.Remarks), show.Scrubbed(w.Error))
	}
	if w.Since != nil && !w.Since.IsZero() {
		card.Since, card.SinceMS = show.Time(*w.Since, s.o.Now()).Text, w.Since.UnixMilli()
	}
	if sum, href, ok := v.Cost(w); ok {
		card.Cost = v.Money(" with sub-agents", &sum, href)
	}
	return card
}

// workerLook is a worker's symbol and colour.
func workerLook(w *board.Standing) (mark, class string) {
	switch worker.Zone(w.Zone) {
	case worker.ZoneNeedsYou:
		if w.Status == string(worker.StatusStuck) || w.Status == string(worker.StatusErrored) {
			return "↻", "stuck"
		}
		return "◆", "asks"
	case worker.ZoneWorking:
		if w.Status == string(worker.StatusDetecting) {
			return "?", "idle"
		}
		return "●", "works"
	case worker.ZoneInReview:
		return "◐", "review"
	case worker.ZoneReady:
		return "✓", "ready"
	}
	return "○", "idle"
}

// workerPath is the page of a worker.
func workerPath(key, name string) string { return web.WorkerPath(key, name) }
