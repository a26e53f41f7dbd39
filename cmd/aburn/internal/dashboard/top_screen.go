package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/web/links"
	"aburn/web/show"
	"aburn/web/site"
)

// terminalOf are the terminal's ends, nil where a whole screen cannot be shown.
func terminalOf(a *kit.App) (in, out *os.File) {
	in, _ = a.Stdin.(*os.File)
	out, _ = a.Stdout.(*os.File)
	if name := a.Getenv("TERM"); !term.CanScreen || in == nil || out == nil || name == "" || name == "dumb" || !term.New(in, a.Getenv, true).Terminal() ||
		!term.New(out, a.Getenv, true).Terminal() {
		return nil, nil
	}
	return in, out
}

// screen is what one person sees of aburn top.
type screen struct {
	site    *site.Site
	out     *term.Out
	term    *term.Screen
	top     *TopReport
	rows    []TopItem // as they are shown: filtered and sorted
	at      string    // the ID of the chosen item, so that it stays chosen when others come
	first   int       // row at the top of the list
	open    bool      // the chosen item is shown whole
	help    bool
	typing  bool // into filter
	filter  string
	sort    int // of sorts
	said    string
	askLink func() string
}

// sorts are the orders; the first is that of the page.
var sorts = [...]string{"", "by cost", "by project"}

// follow shows the screen until the user ends it.
func follow(ctx context.Context, a *kit.App, cmd *cli.Command, o site.Options, in, out *os.File) error {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	changed := make(chan struct{}, 1)
	o.Changed = func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	site := site.New(o)
	site.Live(ctx)
	site.Refresh(ctx)
	site.Things(ctx) // before the screen is taken: the first look at the archive may take a while
	on, err := term.NewScreen(in, out)
	if err != nil {
		return fault.Failed("the terminal cannot be taken over: "+err.Error(), "aburn top --once")
	}
	defer on.Close()
	t := &screen{site: site, out: a.Screen(cmd), term: on, askLink: func() string { return openNow(a) }}
	on.Go(func() { site.Follow(ctx) })
	if !cmd.Bool("no-ingest") {
		on.Go(func() { site.KeepComplete(ctx, func(error) {}) })
	}
	t.run(ctx, changed)
	return nil
}

// run draws until the user or ctx ends it. Ages are told anew each second.
func (t *screen) run(ctx context.Context, changed <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	t.refresh()
	for {
		t.draw()
		select {
		case <-ctx.Done():
			return
		case <-changed:
			t.refresh()
		case <-tick.C:
			t.top.At = t.site.Now()
		case <-t.term.Redraw():
		case key, ok := <-t.term.Keys():
			if !ok || t.press(key) {
				return
			}
		}
	}
}

// refresh takes over what has changed.
func (t *screen) refresh() {
	t.top = reportOf(context.Background(), t.site)
	t.choose()
}

// choose filters and sorts the items.
func (t *screen) choose() {
	t.rows = t.rows[:0]
	words := strings.Fields(strings.ToLower(t.filter))
	for i := range t.top.Items {
		one := &t.top.Items[i]
		text := strings.ToLower(strings.Join([]string{one.Project, one.Branch, show.Agent(one.Source), one.Source, one.item.Word, one.What, one.Quoted, one.Title,
			one.Task, string(one.Session)}, "\n"))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			t.rows = append(t.rows, *one)
		}
	}
	switch sorts[t.sort] {
	case "by cost":
		slices.SortStableFunc(t.rows, func(a, b TopItem) int { return cmp.Compare(amountOf(&b), amountOf(&a)) })
	case "by project":
		slices.SortStableFunc(t.rows, func(a, b TopItem) int { return strings.Compare(filepath.Base(a.Project), filepath.Base(b.Project)) })
	}
}

func amountOf(t *TopItem) int64 {
	if t.sum == nil {
		return -1
	}
	return int64(t.sum.Amount)
}

// chosen is the row of the chosen item; the first where it is gone.
func (t *screen) chosen() int {
	return max(slices.IndexFunc(t.rows, func(one TopItem) bool { return one.item.ID() == t.at }), 0)
}

// move chooses another row.
func (t *screen) move(by int) {
	if len(t.rows) > 0 {
		t.at = t.rows[min(max(t.chosen()+by, 0), len(t.rows)-1)].item.ID()
	}
}

// press acts on a key. It returns true to end.
func (t *screen) press(key term.Key) (over bool) {
	t.said = ""
	if t.typing {
		t.write(key)
		return key == "ctrl-c"
	}
	if t.help {
		t.help = false
		return key == "ctrl-c"
	}
	_, height := t.term.Size()
	switch key {
	case "q", "ctrl-c":
		return true
	case "j", "down":
		t.move(1)
	case "k", "up":
		t.move(-1)
	case "page down":
		t.move(max(height-6, 1))
	case "page up":
		t.move(-max(height-6, 1))
	case "g", "home":
		t.move(-len(t.rows))
	case "G", "end":
		t.move(len(t.rows))
	case "enter":
		t.open = !t.open
	case "escape":
		if t.open {
			t.open = false
		} else {
			t.filter = ""
			t.choose()
		}
	case "/":
		t.typing = true
	case "s":
		t.sort = (t.sort + 1) % len(sorts)
		t.choose()
	case "o":
		t.said = t.askLink()
	case "?":
		t.help = true
	}
	return false
}

// write is a key into the filter.
func (t *screen) write(key term.Key) {
	switch key {
	case "enter", "ctrl-c":
		t.typing = false
	case "escape":
		t.typing, t.filter = false, ""
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(t.filter)
		t.filter = t.filter[:len(t.filter)-size]
	case "ctrl-u":
		t.filter = ""
	default:
		if utf8.RuneCountInString(string(key)) == 1 && len(t.filter) < 80 {
			t.filter += plain.Line(string(key))
		}
	}
	t.choose()
}

// openNow opens the page of an aburn web that runs.
func openNow(a *kit.App) string {
	link, err := links.Ask(a.Getenv)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "aburn web isn't running: start it in another terminal"
	case err != nil:
		return fault.Of(err).Msg
	case links.OpenBrowser(link, a.Getenv, os.Environ()):
		return "opens in your browser"
	}
	return "no browser was found: aburn web --print gives a link"
}

// draw shows everything. What changed is written only.
func (t *screen) draw() {
	width, height := t.term.Size()
	out := t.out.Wide(width)
	t.term.Draw(t.lines(out, width, height))
}

// lines are the screen: the head, the list, what is open, and the last line.
func (t *screen) lines(out *term.Out, width, height int) []string {
	lines := []string{t.headLine(out, width)}
	if t.help {
		return t.foot(out, append(lines, helpLines...), width, height)
	}
	for _, n := range t.top.Notes {
		lines = append(lines, out.Paint(term.Yellow, plain.Cut(n, width)))
	}
	var detail []string
	if t.open && len(t.rows) > 0 {
		detail = append([]string{out.Paint(term.Dim, strings.Repeat("─", width))}, t.rows[t.chosen()].detail(out, t.top.At)...)
		detail = detail[:min(len(detail), max(height-len(lines)-3, 0))]
	}
	room := max(height-len(lines)-len(detail)-1, 1)
	lines = append(lines, t.list(out, room)...)
	lines = append(lines, detail...)
	return t.foot(out, lines, width, height)
}

func (t *screen) headLine(out *term.Out, width int) string {
	clock := t.top.At.In(t.site.Now().Location()).Format("15:04")
	text := plain.Cut(" "+t.top.head(), max(width-len(clock)-2, 0))
	return out.Paint(term.Bold, plain.Pad(text, max(width-len(clock)-1, 0))) + out.Paint(term.Dim, clock)
}

// list is the rows around the chosen one, as many as there is room for.
func (t *screen) list(out *term.Out, room int) []string {
	if len(t.rows) == 0 {
		texts := t.top.empty
		if t.filter != "" {
			texts = []string{"Nothing has " + plain.Line(t.filter) + " in it: Escape shows all."}
		}
		var lines []string
		for _, text := range texts {
			lines = append(lines, " "+out.Paint(term.Dim, plain.Cut(text, max(out.Width()-1, 0))))
		}
		return lines
	}
	at := t.chosen()
	t.first = min(max(t.first, at-room+1, 0), at, max(len(t.rows)-room, 0))
	var b bytes.Buffer
	table := tableOf(t.top.At, t.rows)
	table.Print(out.Wide(max(out.Width()-2, 20)).Onto(&b), 0)
	var lines []string
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		mark := "  "
		if i == at {
			mark = out.Paint(term.BoldCyan, "▸") + " "
		}
		if i >= t.first && i < t.first+room {
			lines = append(lines, mark+line)
		}
	}
	return lines
}

var helpLines = []string{"", "  j k ↓ ↑   next line, line before        g G   first, last", "  Enter     opens a line, and closes it",
	"  /         only lines with these words; Escape shows all", "  s         sorts: as the page Now does, by cost, by project",
	"  o         opens the page Now, if aburn web is running", "  Ctrl-Z    leaves for a while; fg comes back", "  q         ends", "",
	"  ◆ waits for you   ↻ stuck   ● works   ○ its turn is over"}

// foot puts the last line at the bottom.
func (t *screen) foot(out *term.Out, lines []string, width, height int) []string {
	lines = lines[:min(len(lines), max(height-1, 0))]
	for i, line := range helpLines {
		if t.help && i+1 < len(lines) {
			lines[i+1] = plain.Cut(line, width)
		}
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	text := "Enter detail · / search · s sort · o browser · ? help · q quit"
	if n := len(t.rows); t.filter != "" || sorts[t.sort] != "" {
		text = units.Join(fmt.Sprintf("%d of %d", n, len(t.top.Items)), sorts[t.sort], quotedFilter(t.filter)) + " · Escape shows all · ? help"
	}
	switch {
	case t.said != "":
		text = t.said
	case t.typing:
		text = "/" + t.filter + "▏"
	}
	return append(lines, out.Paint(term.Dim, plain.Cut(" "+text, width)))
}

func quotedFilter(text string) string {
	if text == "" {
		return ""
	}
	return "with " + text
}
