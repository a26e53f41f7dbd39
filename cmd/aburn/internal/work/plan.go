package work

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/worker/config"
	"aburn/worker/crew"
	"aburn/worker/headless"
	"aburn/worker/ledger"
	"aburn/worker/slot"
)

// maxTask is the longest task, in bytes: it is one argument, and Linux takes none above 128 KiB.
const maxTask = 96 << 10

// taskOf is the task of the command line, of --file or of stdin.
func taskOf(a *kit.App, cmd *cli.Command) (string, error) {
	task := strings.Join(cmd.Args().Slice(), " ")
	file := cmd.String("file")
	var from io.Reader
	switch {
	case file != "" && task != "":
		return "", kit.UsageError("the task is given twice: as words and with --file", "leave one out")
	case file != "":
		dir, err := kit.Folder(cmd)
		if err != nil {
			return "", err
		}
		f, err := os.Open(kit.InFolder(dir, file))
		if err != nil {
			return "", kit.UsageError("--file: " + err.Error())
		}
		defer f.Close()
		from = f
	case task == "-":
		from = a.Stdin
	}
	if from != nil {
		text, err := io.ReadAll(io.LimitReader(from, maxTask+1))
		if err != nil {
			return "", kit.UsageError("the task cannot be read: " + err.Error())
		}
		task = string(text)
	}
	return checkTask(strings.TrimSpace(task))
}

func checkTask(task string) (string, error) {
	switch {
	case task == "":
		return "", kit.UsageError("there is no task", `aburn spawn "fix the flaky test in cart"`)
	case len(task) > maxTask:
		return "", kit.UsageError(fmt.Sprintf("the task is longer than %s, more than one argument takes", plain.Size(maxTask)), "put it into a file of the repository, and name that in the task")
	case !utf8.ValidString(task):
		return "", kit.UsageError("the task is not UTF-8")
	}
	task = strings.ReplaceAll(task, "\r\n", "\n")
	for _, r := range task {
		if plain.Control(r) && r != '\n' && r != '\t' {
			return "", kit.UsageError(fmt.Sprintf("the task has the control character %U", r), "take it out: the agent would read what you do not see")
		}
	}
	return task, nil
}

func (o *office) plan(a *kit.App, cmd *cli.Command, task string) (p crew.Plan, err error) {
	c, err := o.config(a, "")
	if err != nil {
		return p, err
	}
	said := func(flag, key string) string {
		if word := c.Word(key); word != "" && !cmd.IsSet(flag) {
			return word
		}
		return cmd.String(flag)
	}
	p = crew.Plan{
		Task: task, Name: cmd.String("name"), Permissions: slot.Permissions(said("permissions", "permissions")), Model: said("model", "model"),
		Base: said("base", "base"), Branch: cmd.String("branch"), Prefix: c.Word("branch_prefix"), Pass: cmd.StringSlice("env"), Rules: strings.TrimSpace(c.Word("rules")),
	}
	p.Furniture = furniture(a, c)
	gates := gatesOf(c)
	if p.Gates = cmd.StringSlice("gate"); len(p.Gates) > 0 {
		gates.Run = p.Gates
	}
	if len(gates.Run) > 0 {
		p.Gated, p.Retries = true, gates.Retries
	}
	if cmd.Bool("no-setup") {
		p.Furniture.Setup = nil
	}
	if c.Confirm != "" {
		a.Warn("the project's file says more, which counts only after you confirmed it: "+plain.Line(strings.Join(heads(c.Texts), ", ")), "aburn config check")
	}
	if err := o.room(c); err != nil {
		return p, err
	}
	if p.Name != "" {
		if err := ledger.ValidName(p.Name); err != nil {
			return p, kit.UsageError("--name " + kit.Quote(p.Name) + ": " + err.Error())
		}
	}
	for _, name := range p.Pass {
		if _, set := os.LookupEnv(name); !set {
			return p, kit.UsageError("--env "+kit.Quote(name)+": your environment has no such variable", "give its name, without a value")
		}
	}
	for _, name := range c.Words("env") { // what is not set is not missed
		if _, set := os.LookupEnv(name); set {
			p.Pass = append(p.Pass, name)
		}
	}
	if p.Agent, p.Program, err = chooseAgent(said("agent", "agent")); err != nil {
		return p, err
	}
	p.Title = agentcli.Of(p.Agent.Name()).Title
	if err := o.planRuntime(cmd, &p); err != nil {
		return p, err
	}
	adapter := adapterOf(p.Agent.Name())
	p.Hook = func(folder string) string { return hookAtStart(adapter, folder, a.Getenv) }
	// The linked worktree will have the hooks that the person's own checkout has.
	if p.Hooked = adapter.Hooks.AtStart || hooksRun(adapter, o.dir, a.Getenv); !p.Hooked {
		lost := "nothing will be known of what this worker does"
		if p.Lines { // its protocol tells the rest
			lost = "nobody hears what this worker says with aburn done and aburn ask from its sandbox"
		}
		a.Warn(p.Title+" runs no hooks of aburn's, so "+lost, "aburn install-hooks --agent "+p.Agent.Name(), "aburn doctor")
	}
	return p, nil
}

// furniture is what the configuration puts into a worker's tree.
func furniture(a *kit.App, c *config.Config) crew.Furniture {
	f := crew.Furniture{
		Copy: c.Words("copy"), Share: c.Words("share"), Link: c.Words("link"), Setup: c.Words("setup"), Timeout: c.Span("setup_timeout", 0),
		Tell: func(line string) { a.Note("setup: " + plain.Line(line)) },
	}
	for _, p := range c.Ports() {
		f.Ports = append(f.Ports, crew.Port(p))
	}
	return f
}

// heads are the keys of texts that wait.
func heads(texts []string) (keys []string) {
	for _, text := range texts {
		key, _, _ := strings.Cut(text, ": ")
		keys = append(keys, key)
	}
	return keys
}

// room refuses where the configuration allows no more workers.
func (o *office) room(c *config.Config) error {
	most := c.Number("max_workers")
	if most == 0 {
		return nil
	}
	names, err := o.Store.Names()
	if err != nil || len(names) < most {
		return err
	}
	all, err := o.Look(context.Background())
	if err != nil {
		return err
	}
	n := 0
	for _, m := range all {
		if m.Err == nil && !m.Over() {
			n++
		}
	}
	if n >= most {
		return kit.BadNews(fmt.Sprintf("max_workers is %d (%s), and so many run", most, o.relative(c.Where("max_workers"))), "aburn ps", "aburn kill NAME")
	}
	return nil
}

// planRuntime chooses where the agent runs: in tmux, and without a terminal where there is no tmux.
func (o *office) planRuntime(cmd *cli.Command, p *crew.Plan) error {
	word := cmd.String("runtime")
	switch {
	case cmd.Bool("attach") && word != "":
		return kit.UsageError("--attach is a runtime of its own: your terminal", "leave out --runtime")
	case cmd.Bool("attach"):
		return nil
	case word == "" && o.tmux == nil:
		word = headless.Name
	case word == "":
		word = o.tmux.Name()
	case word != headless.Name && o.tmux == nil:
		return kit.BadNews("tmux is not installed", "install tmux", "aburn spawn --runtime "+headless.Name, "aburn spawn --attach: in this terminal, until it ends")
	}
	if word != headless.Name {
		p.Runtime = o.tmux
		return nil
	}
	if p.Agent.Protocol() == nil {
		return kit.UsageError(p.Title+" cannot work without a terminal", "install tmux", "aburn spawn --attach")
	}
	p.Runtime, p.Lines = headless.Runtime{Env: o.Environ}, true
	return nil
}

// checkTrust refuses to run an agent without a terminal where nobody has told it that it may work. In a terminal it asks
// that by itself at its first start; without one it asks nothing, and runs what the repository's own settings name.
func checkTrust(a *kit.App, p crew.Plan, checkout string, said bool) error {
	agent := adapterOf(p.Agent.Name())
	if !p.Lines || said || agent.TrustsFolder == nil || agent.TrustsFolder(checkout, a.Getenv) {
		return nil
	}
	return kit.BadNews("you have not told "+p.Title+" that you trust "+checkout+", and without a terminal it does not ask",
		"run "+agent.Program+" there once, and answer its question", "aburn spawn --trust, if you trust this repository's hooks and servers")
}

// chooseAgent is the agent of this name, or the first one on PATH.
func chooseAgent(name string) (slot.Agent, string, error) {
	var tried []string
	for _, agent := range agents() {
		known := agentcli.Of(agent.Name())
		if name != "" && name != known.Name && name != strings.ReplaceAll(strings.ToLower(known.Title), " ", "-") {
			continue
		}
		program := known.Program
		if path, err := exec.LookPath(program); err == nil {
			path, err = filepath.Abs(path)
			return agent, path, err
		}
		tried = append(tried, program)
	}
	if len(tried) == 0 {
		return nil, "", kit.UsageError("no agent "+kit.Quote(name)+" can be a worker", kit.DidYouMean(name, agentNames())...)
	}
	return nil, "", kit.BadNews("no agent is installed: there is no "+strings.Join(tried, ", ")+" on PATH", "install "+agentcli.Of(agents()[0].Name()).Title)
}

func adapterOf(agent string) install.Agent {
	for _, known := range install.Agents() {
		if known.Name == agent {
			return known
		}
	}
	return &install.Adapter{Agent: agentcli.Of(agent)}
}

// hooksRun reports whether the agent's own settings call aburn-hook in sessions in folder, and the agent lets them.
func hooksRun(agent install.Agent, folder string, env func(string) string) bool {
	for _, s := range install.Inspect(agent, folder, env) {
		if s.Err == nil && len(s.Missing()) == 0 && (agent.Trusts == nil || agent.Trusts(&s, env)) {
			return true
		}
	}
	return false
}

// hookAtStart is aburn-hook if the agent's own settings do not have it for sessions in folder, and its start can bring it.
func hookAtStart(agent install.Agent, folder string, env func(string) string) string {
	if !agent.Hooks.AtStart || hooksRun(agent, folder, env) {
		return ""
	}
	path, err := program("aburn-hook")
	if err != nil {
		return ""
	}
	return path
}
