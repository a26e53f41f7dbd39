package guarding

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/guard"
	"aburn/guard/backtest"
	"aburn/guard/live"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/notify"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
)

// maxRequest bounds a request, in bytes.
const maxRequest = 17 << 20

// decideTime bounds a decision: its hook waits no longer.
const decideTime = 2 * time.Second

func decideCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "decide",
		Usage:        "decide about one call, for aburn-hook",
		Hidden:       true,
		Description:  "Reads a call as JSON on standard input and prints the decision, which is {} if no rule is about it.",
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn guard decide < call.json"),
		Action:       a.Action(runDecide),
	}
}

func runDecide(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	ctx, cancel := context.WithTimeout(ctx, decideTime)
	defer cancel()
	b, err := io.ReadAll(io.LimitReader(a.Stdin, maxRequest))
	if err != nil {
		return fault.Failed("read the call: " + err.Error())
	}
	var r live.Request
	if err := json.Unmarshal(b, &r); err != nil {
		return fault.Usage("the call is no JSON that aburn-hook writes: " + err.Error())
	}
	s, p, err := loadAt(r.Cwd, a.Getenv)
	if err != nil {
		return err
	}
	rules := s.Active()
	if len(rules) == 0 && len(s.Problems) > 0 {
		return fault.Failed(s.Problems[0].Error())
	}
	place := backtest.PlaceOf(r.Cwd, a.Getenv, a.Getenv("HOME"), temp(a.Getenv))
	var log *journal.Journal
	if p != nil {
		if oss, err := p.OpenOss(); err == nil {
			defer oss.Close()
			log = journal.New(oss, journal.Options{By: journal.Command})
		}
	}
	answer := live.Decide(ctx, rules, &r, place, a.Getenv, log)
	if err := a.PrintJSON(answer); err != nil {
		return err
	}
	if c, ok := a.Stdout.(io.Closer); ok && answer.Do == guard.Warn {
		c.Close() // the hook waits for the answer only
		warn(a, p, &answer)
	}
	return nil
}

// warn notifies the person of a call.
func warn(a *kit.App, p *project.Project, answer *live.Answer) {
	set := settings.Load(p, a.Getenv)
	n := notify.New(notify.Options{Desktop: set.Notify.Desktop, Command: set.Notify.Command, Env: a.Getenv})
	defer n.Close(notify.DefaultTimeout)
	text := plain.Line(cut(answer.Part, 100))
	line, _ := json.Marshal(map[string]string{"type": "guard", "rule": answer.Rule, "text": text})
	n.Tell(notify.Notice{Key: answer.Rule + text, Title: "aburn guard: " + answer.Rule, Text: text, JSON: line})
}
