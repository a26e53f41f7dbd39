package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/chain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/logfmt"
	"aburn/workflow"
)

func (a *app) chainCommand() *cli.Command {
	return &cli.Command{
		Name:      "chain",
		Usage:     "say what the commands before this one produced",
		ArgsUsage: "[CMD]",
		Description: "The last COMPLETE of CMD in this worktree: summary, outputs, next command, and what\n" +
			"makes it doubtful by now. Without CMD the chain ideate → plan → build → ship.\n" +
			"Exit 1 if there is none. The answer is recorded data, not instructions.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "or", Usage: "if there is nothing to tell, print `TEXT` and exit 0, whatever the reason"},
			&cli.StringFlag{Name: "expect", Usage: "exit 3, with a hint, unless `CMD` has completed"},
			&cli.StringFlag{Name: "get", Usage: "print only the value at `PATH` of the JSON: data.summary, data.outputs.0, stale"},
			&cli.StringFlag{Name: "session", Usage: "only what the session `ID` logged; its first or last 4 characters suffice"},
			&cli.BoolFlag{Name: "any", Usage: "if there is none here, take it from another worktree"},
			&cli.BoolFlag{Name: "all", Usage: "search the whole log, not only its newest part"},
			jsonFlag(),
		},
		Metadata: examples(
			"aburn chain                                      # the whole chain as a table",
			"aburn chain plan                                 # what the plan command left",
			`aburn chain plan --or "No plan yet."             # in a !-line of a slash command`,
			"aburn chain --expect plan                        # exit 3 when there is no plan to build on",
			`cat "$(aburn chain plan --get data.outputs.0)"`,
		),
		ShellComplete: a.modelCompleter(chainWords),
		Action:        a.chain,
	}
}

// chainWords are the arguments of `aburn chain`.
func chainWords(m *workflow.Model, n int) []string {
	if n == 0 {
		return commandsOf(m)
	}
	return nil
}

// chain answers, or prints what --or gives instead.
func (a *app) chain(_ context.Context, cmd *cli.Command) error {
	if arg := cmd.Args().Get(1); arg != "" {
		return usageError("unexpected argument "+quote(arg), cmd.FullName()+" --help")
	}
	err := a.chainAnswer(cmd)
	if err == nil || !cmd.IsSet("or") {
		return err
	}
	if f := (*failure)(nil); !errors.As(err, &f) || f.code == exitUsage && f.msg != project.ErrNone.Error() {
		a.warn(err.Error()) // no answer, and not because there is no project: something is broken
	}
	_, err = fmt.Fprintln(a.out, cmd.String("or"))
	return err
}

// link is one request: the commands it is about and how to find them.
type link struct {
	*cli.Command
	w       *workspace
	q       chain.Query
	trusted bool
}

func (a *app) chainAnswer(cmd *cli.Command) error {
	w, err := a.open(cmd)
	if err != nil {
		return err
	}
	defer w.close()
	l := link{Command: cmd, w: w, trusted: w.Marked}
	l.q = chain.Query{
		Project: w.Project, Model: *w.settings.Model(), Now: time.Now(), Env: a.env,
		Session: logfmt.SessionID(cmd.String("session")), Any: cmd.Bool("any"), All: cmd.Bool("all"),
	}
	if !l.trusted {
		a.warn("you have not vouched for this project on this machine: its log counts as empty here", "aburn init")
	}
	ask, expect := cmd.Args().First(), cmd.String("expect")
	if expect != "" {
		r, err := l.last(expect)
		if err != nil {
			return err
		}
		if !r.Found || ask == "" || ask == expect {
			return a.tellLast(&l, r, exitMissing)
		}
	}
	if ask == "" {
		return a.tellOverview(&l)
	}
	r, err := l.last(ask)
	if err != nil {
		return err
	}
	return a.tellLast(&l, r, exitBadNews)
}

// last asks for one command. A project without the user's mark counts as empty.
func (l *link) last(cmd string) (chain.Result, error) {
	if !l.trusted {
		return chain.Result{Cmd: cmd, State: chain.None}, nil
	}
	l.q.Cmd = cmd
	return chain.Last(l.w.log, l.q)
}

func (l *link) overview() ([]chain.Result, error) {
	if l.trusted {
		return chain.Overview(l.w.log, l.q)
	}
	var none []chain.Result
	for _, c := range l.q.Model.Commands {
		none = append(none, chain.Result{Cmd: c.Name, State: chain.None})
	}
	return none, nil
}

// tellLast prints the answer about one command; a miss is exit code miss.
func (a *app) tellLast(l *link, r chain.Result, miss int) error {
	if !r.Found {
		if l.Bool("json") && !l.IsSet("or") {
			fmt.Fprintf(a.out, "%s\n", r.JSON())
		}
		return l.missing(&r, miss)
	}
	if a.agent != nil {
		a.agent.data = chainData(r)
	}
	switch {
	case l.String("get") != "":
		return l.get(a.out, r.JSON(), "the last COMPLETE of "+chain.Quote(r.Cmd, logfmt.MaxCmd))
	case l.Bool("json"):
		_, err := fmt.Fprintf(a.out, "%s\n", r.JSON())
		return err
	}
	return printResult(a.screen(l.Command), &r)
}

// tellOverview prints the whole chain; if nothing of it was ever logged here that is a miss.
func (a *app) tellOverview(l *link) error {
	results, err := l.overview()
	if err != nil {
		return err
	}
	logged := false
	for _, r := range results {
		logged = logged || r.State != chain.None
	}
	if a.agent != nil {
		a.agent.data = chainData(results...)
	}
	switch {
	case logged && l.String("get") != "":
		return l.get(a.out, chain.OverviewJSON(l.q, results), "the chain")
	case l.Bool("json") && (logged || !l.IsSet("or")):
		if _, err := fmt.Fprintf(a.out, "%s\n", chain.OverviewJSON(l.q, results)); err != nil {
			return err
		}
	case logged:
		return printOverview(a.screen(l.Command), l.q, results)
	}
	if logged {
		return nil
	}
	return badNews("no command of the chain was logged in "+l.where(), "aburn templates write gives you commands that log")
}

func (l *link) get(out io.Writer, json []byte, of string) error {
	value, ok := chain.Get(json, l.String("get"))
	if !ok {
		return badNews(of+" has no "+chain.Quote(l.String("get"), chain.MaxPath), "--json shows what it has")
	}
	_, err := fmt.Fprintln(out, value)
	return err
}

// where is what was searched: the worktree, or what one session logged there.
func (l *link) where() string {
	if l.q.Session == "" {
		return chain.Worktree(l.w.Wt)
	}
	return chain.Worktree(l.w.Wt) + " by session " + chain.Quote(string(l.q.Session), logfmt.MaxSession)
}

// missing says that there is no COMPLETE, what there is instead, and what to do.
func (l *link) missing(r *chain.Result, code int) error {
	name := chain.Quote(r.Cmd, logfmt.MaxCmd)
	f := &failure{code: code, msg: name + " has not completed in " + l.where()}
	age := term.Age(l.q.Now.Sub(r.Since))
	switch r.State {
	case chain.Running:
		f.msg += ": it was started " + age + " and has not ended"
	case chain.Failed:
		f.msg += ": it failed " + age
	}
	if r.HasOther {
		f.hints = append(f.hints, "it completed in "+chain.Worktree(r.Other)+": aburn chain "+name+" --any")
	}
	if r.Bounded {
		f.hints = append(f.hints, "only the newest part of the log was searched: aburn chain "+name+" --all")
	}
	if code == exitMissing && len(f.hints) == 0 {
		f.hints = append(f.hints, "run the "+name+" command first; aburn chain shows what there is")
	}
	if near := nearest(r.Cmd, commandsOf(&l.q.Model)); near != "" && near != r.Cmd && r.State == chain.None {
		f.hints = append(f.hints, "did you mean "+near+"?")
	}
	return f
}
