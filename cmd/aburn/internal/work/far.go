package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/worker"
	"aburn/worker/config"
	"aburn/worker/crew"
	"aburn/worker/slot"
	"aburn/worker/ssh"
	"aburn/worker/tree"
)

// FarCommand is what another machine's aburn calls here. People use ps.
func FarCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "far", Hidden: true, Usage: "tell the machine that spawned workers here about them", ArgsUsage: "NAME…",
		Description: "It prints one JSON value for each: the ledger's entries and what the agent's records say.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "gates", Usage: "run the gates that stdin names, in the tree of the one worker, and say what they found"},
			&cli.BoolFlag{Name: "screen", Usage: "print what the terminal of the one worker shows"},
		},
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			o, err := OpenOffice(a, cmd)
			if err != nil {
				return err
			}
			defer o.Close()
			if cmd.Bool("gates") {
				return tryHere(ctx, o, a, cmd.Args().First())
			}
			if cmd.Bool("screen") {
				return screenHere(ctx, o, a, cmd.Args().First())
			}
			news := []crew.News{}
			for _, name := range cmd.Args().Slice() {
				news = append(news, o.Tell(ctx, name))
			}
			return a.PrintJSON(news)
		}),
	}
}

// tryHere runs gates for the machine that merges.
func tryHere(ctx context.Context, o *Office, a *kit.App, name string) error {
	var order crew.FarGates
	if err := json.NewDecoder(a.Stdin).Decode(&order); err != nil {
		return fault.Usage("stdin names no gates: " + err.Error())
	}
	m, err := o.Member(ctx, name)
	if err != nil {
		return err
	}
	repo, err := RepositoryOf(ctx, o.Crew, m)
	if err != nil {
		return err
	}
	program, _ := exec.LookPath(agentcli.Of(m.Request.Agent).Program)
	v, err := o.TryHere(ctx, repo, m, order, program)
	if err != nil {
		return fault.Failed(err.Error())
	}
	return a.PrintJSON(v)
}

// FarScreen is what a worker's terminal shows there.
type FarScreen struct {
	Lines []string `json:"lines"`
	Cols  int      `json:"cols"`
	Rows  int      `json:"rows"`
}

func screenHere(ctx context.Context, o *Office, a *kit.App, name string) error {
	m, err := o.Member(ctx, name)
	if err != nil {
		return err
	}
	launch := m.Ledger.Last(worker.Launched)
	if launch == nil || m.Over() {
		return fault.Failed(name + " does not run")
	}
	now, err := hold.Look(ctx, o.Store.Book(m.Name).Dir, launch.Gen)
	if err != nil {
		return fault.Failed(err.Error())
	}
	return a.PrintJSON(FarScreen{now.Lines, cmp.Or(now.Size.Cols, slot.Width), cmp.Or(now.Size.Rows, slot.Height)})
}

// ScreenThere is what the terminal of a worker on another machine shows, and the way to that machine.
func ScreenThere(ctx context.Context, c *crew.Crew, m *crew.Member) (s FarScreen, h ssh.Host, err error) {
	host, _ := crew.FarHost(m.Request.Via)
	r, err := FarRun(ctx, c, m, "", "far", "--screen", m.Name)
	if err == nil {
		err = json.Unmarshal(r.Stdout, &s)
	}
	return s, Host(c, host), err
}

// gatesWork is how long gates may take in another repository.
const gatesWork = 25 * time.Minute

// tryThere has the aburn of a far member run gates.
func tryThere(ctx context.Context, c *crew.Crew, m *crew.Member, order crew.FarGates) (v crew.FarVerdict, err error) {
	text, err := json.Marshal(order)
	if err != nil {
		return v, err
	}
	hostName, _ := crew.FarHost(m.Request.Via)
	host := Host(c, hostName)
	host.Works = gatesWork
	r, err := host.Do(ctx, strings.NewReader(string(text)), ssh.Aburn(m.Request.Address, "far", "--gates", m.Name))
	switch {
	case err != nil:
		return v, err
	case r.Code != 0:
		return v, fmt.Errorf("%s: %s", host, FarText(r))
	}
	return v, json.Unmarshal(r.Stdout, &v)
}

// Host is a machine, or with an empty name this one. What runs here must find this aburn, and not the project around it.
func Host(c *crew.Crew, name string) ssh.Host {
	h := ssh.Host{Name: name, Env: c.Environ}
	if name != "" {
		return h
	}
	h.Env = slices.DeleteFunc(slices.Clone(h.Env), func(kv string) bool { return strings.HasPrefix(kv, "ABURN_PROJECT_DIR=") })
	self, err := os.Executable()
	if i := slices.IndexFunc(h.Env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }); err == nil && i >= 0 {
		h.Env[i] += string(os.PathListSeparator) + filepath.Dir(self)
	}
	return h
}

// askThere is the crew's way to other machines.
func askThere(ctx context.Context, c *crew.Crew, host, dir string, names []string) (news []crew.News, err error) {
	r, err := Host(c, host).Do(ctx, nil, ssh.Aburn(dir, append([]string{"far"}, names...)...))
	if err == nil {
		err = json.Unmarshal(r.Stdout, &news)
		if err != nil || r.Code != 0 {
			err = fmt.Errorf("%s: %s", Host(c, host), FarText(r))
		}
	}
	return news, err
}

// FarText is what aburn there said of a failure.
func FarText(r run.Result) string {
	text := strings.TrimSpace(string(r.Stderr))
	for line := range strings.Lines(text) {
		if _, said, ok := strings.Cut(line, "aburn: error: "); ok {
			return plain.Line(strings.TrimSpace(said))
		}
	}
	if text = plain.Line(text[strings.LastIndexByte(text, '\n')+1:]); text == "" {
		text = "exit " + strconv.Itoa(r.Code)
	}
	return text
}

// FarSaid are the hints or warnings that aburn there gave.
func FarSaid(r run.Result, what string) (list []string) {
	for line := range strings.Lines(string(r.Stderr)) {
		if _, said, ok := strings.Cut(line, "aburn: "+what+": "); ok {
			list = append(list, plain.Line(strings.TrimSpace(said)))
		}
	}
	return list
}

// FarRun runs aburn on the machine of a member. What aburn there says of a failure is the error.
func FarRun(ctx context.Context, c *crew.Crew, m *crew.Member, stdin string, args ...string) (run.Result, error) {
	host, _ := crew.FarHost(m.Request.Via)
	r, err := Host(c, host).Do(ctx, strings.NewReader(stdin), ssh.Aburn(m.Request.Address, args...))
	if err == nil && r.Code != 0 {
		err = errors.New(FarText(r))
	}
	return r, err
}

// CheckHost refuses a machine that the person's own file does not name.
func CheckHost(c *config.Config, host string) error {
	if err := ssh.Valid(host); err != nil {
		return fault.Usage("--runtime ssh:" + plain.Line(host) + ": " + err.Error())
	}
	if !slices.Contains(c.Words("ssh"), host) {
		return fault.Usage("ssh: in your own workers.yaml does not name "+fault.Quote(host), "ssh: ["+host+"] there lets workers run on it", "aburn config check")
	}
	return nil
}

// Elsewhere is the repository on a machine, as git reaches it.
func Elsewhere(host ssh.Host, dir string) tree.Elsewhere {
	url, env := host.Remote(dir)
	return tree.Elsewhere{URL: url, Env: env}
}

// Bring fetches the commits and snapshots of a far member, the present state of its tree too.
func Bring(ctx context.Context, c *crew.Crew, repo *tree.Repo, m *crew.Member) (*crew.Member, string, error) {
	if _, err := FarRun(ctx, c, m, "", "snapshots", "--take", m.Name); err != nil && errors.Is(err, ssh.ErrLost) {
		return m, "", err
	}
	copied := "refs/aburn/far/" + m.Name
	// A branch that its agent made there may have the name of one that is here and somebody else's.
	if here := repo.Tip(ctx, m.Request.Branch); m.Request.Branch != m.Made && here != "" && !repo.Holds(ctx, copied, here) {
		return m, "", fmt.Errorf("its branch %s has the name of a branch of yours", m.Request.Branch)
	}
	commit, err := repo.Fetch(ctx, elsewhereOf(c, m), m.Request.Branch, copied, crew.SnapshotRefs(m.Name))
	if err != nil {
		return m, commit, err
	}
	now, err := c.Look(ctx, m.Name)
	if err == nil {
		err = now[0].Err
	}
	if err != nil {
		return m, commit, err
	}
	if all := crew.Snapshots(now[0].Ledger); len(all) > 0 && !repo.Holds(ctx, all[len(all)-1].Ref, all[len(all)-1].Commit) {
		return now[0], commit, errors.New("the last snapshot did not arrive")
	}
	return now[0], commit, nil
}

func elsewhereOf(c *crew.Crew, m *crew.Member) tree.Elsewhere {
	host, _ := crew.FarHost(m.Request.Via)
	return Elsewhere(Host(c, host), m.Request.Address)
}

// Kill ends a worker, wherever it runs.
func Kill(ctx context.Context, c *crew.Crew, m *crew.Member) (*crew.Member, error) {
	if !m.Far() {
		return c.Kill(ctx, m)
	}
	if m.Over() {
		if !m.Certified() { // its agent may have left something there
			if _, err := FarRun(ctx, c, m, "", "kill", m.Name); err != nil && !errors.Is(err, ssh.ErrLost) {
				return m, err
			}
		}
		return m, crew.ErrOver
	}
	if _, err := FarRun(ctx, c, m, "", "kill", m.Name); err != nil {
		return m, err
	}
	now, err := c.Look(ctx, m.Name)
	if err != nil {
		return m, err
	}
	return now[0], now[0].Err
}

// Interrupt ends the turn of a worker, wherever it runs.
func Interrupt(ctx context.Context, c *crew.Crew, m *crew.Member) error {
	if !m.Far() {
		return c.Interrupt(ctx, m)
	}
	if m.Over() {
		return crew.ErrOver
	}
	_, err := FarRun(ctx, c, m, "", "interrupt", m.Name)
	return err
}

// SendFar has the aburn there deliver a message.
func SendFar(ctx context.Context, c *crew.Crew, m *crew.Member, msg crew.Message, options crew.SendOptions) crew.Sent {
	sent := crew.Sent{Worker: m.Name, State: crew.Declined}
	if msg.From != "" {
		sent.Why = "an agent sends to no other machine"
		return sent
	}
	args := []string{"send", "--json", "--wait", max(options.Wait, time.Millisecond).String()}
	if options.NoKeys {
		args = append(args, "--after-turn")
	}
	if options.Type {
		args = append(args, "--type")
	}
	r, err := FarRun(ctx, c, m, msg.Text, append(args, m.Name, "-")...)
	var list []crew.Sent
	if json.Unmarshal(r.Stdout, &list) == nil && len(list) == 1 {
		return list[0]
	}
	if errors.Is(err, ssh.ErrLost) {
		sent.State = crew.Unconfirmed
	}
	if sent.Why = "its machine says nothing of it"; err != nil {
		sent.Why = err.Error()
	}
	return sent
}

// Cleanup removes a worker's tree, wherever it is. What a far one holds is brought here before anything is removed.
func Cleanup(ctx context.Context, c *crew.Crew, repo *tree.Repo, m *crew.Member, options crew.CleanupOptions) (r crew.Cleanup, err error) {
	if !m.Far() {
		return c.Cleanup(ctx, repo, m, options)
	}
	r = crew.Cleanup{Name: m.Name}
	switch {
	case !m.Over():
		r.Why = "it has not ended: " + strings.ReplaceAll(m.Worker.State.String(), "_", " ")
		return r, nil
	case m.Ledger.Last(worker.Removed) != nil:
		r.Why = "its tree was removed already"
		return r, nil
	}
	now, commit, err := Bring(ctx, c, repo, m)
	if err != nil {
		return r, err
	}
	args := []string{"cleanup", "--json"}
	for flag, set := range map[string]bool{"--dry-run": options.DryRun, "--force-preserve": options.Preserve, "--discard-ignored": options.DiscardIgnored} {
		if set {
			args = append(args, flag)
		}
	}
	out, err := FarRun(ctx, c, m, "", append(args, m.Name)...)
	var list []crew.Cleanup
	if json.Unmarshal(out.Stdout, &list) != nil || len(list) != 1 {
		return r, err
	}
	if r = list[0]; !r.Removed || options.DryRun {
		return r, nil
	}
	if r.Kept != "" { // the state that it kept last
		if err = repo.FetchRefs(ctx, elsewhereOf(c, m), crew.SnapshotRefs(m.Name)); err != nil {
			return r, fmt.Errorf("its tree is gone there, and its last snapshot stands there in %s: %w", crew.SnapshotRefs(m.Name), err)
		}
	}
	if list, err := c.Look(ctx, m.Name); err == nil && list[0].Err == nil {
		now = list[0]
	}
	if commit == m.Base() && m.Request.Branch == m.Made && repo.DropBranch(ctx, m.Made, commit) {
		r.Branch = ""
	} else {
		r.Branch = m.Request.Branch
	}
	return r, c.Brought(now, commit)
}

// SitFar shows a far worker's terminal here.
func SitFar(o *Office, cmd *cli.Command, m *crew.Member) error {
	args := []string{"attach"}
	switch {
	case cmd.Bool("terminal") || cmd.Bool("headless"):
		return fault.Usage(m.Name+" stays at its terminal there", "aburn attach "+m.Name)
	case cmd.Bool("read-only"):
		args = append(args, "--read-only")
	}
	host, _ := crew.FarHost(m.Request.Via)
	if err := Host(o.Crew, host).Sit(m.Request.Address, append(args, m.Name)...); err != nil {
		fmt.Fprintln(os.Stderr)
		return fault.Failed("the line to "+Host(o.Crew, host).String()+" ended: "+err.Error()+"; the worker goes on", "aburn ps "+m.Name)
	}
	return nil
}
