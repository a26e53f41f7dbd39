package spawn

import (
	"os"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/config"
	"aburn/worker/headless"
	"aburn/worker/launch"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/pty"
	"aburn/worker/slot"
)

// plan is the worker that the call asks for. The configuration says what flags leave open. It continues what from names.
func plan(o *projects.Project, a *kit.App, cmd *cli.Command, task string, from origin) (p manager.Plan, err error) {
	c, err := o.Config("")
	if err != nil {
		return p, err
	}
	if word := runtimeWords[c.Word("runtime")]; word != "" && !cmd.IsSet("runtime") && !cmd.Bool("attach") {
		cmd.Set("runtime", word) // one of the flag's own words
	}
	if task == "" && from.briefing != "" {
		task = goOn
	} else if task == "" && len(cmd.StringSlice("issue")) == 0 {
		_, err := launch.CheckTask(task)
		return p, err
	}
	if p, err = planTask(o, a, cmd, c, task); err != nil {
		return p, err
	}
	if from.briefing != "" {
		p.Head = p.Task
		p.Task += "\n\n" + from.briefing
	}
	agent := said(cmd, c, "agent")
	if from.worker != nil {
		if agent, err = likeSource(o, cmd, &p, from.worker); err != nil {
			return p, err
		}
	}
	host, far := manager.RemoteHost(cmd.String("runtime"))
	switch clone := said(cmd, c, "workspace") == "clone" && !(cmd.IsSet("runtime") && !cmd.IsSet("workspace")); {
	case clone && cmd.IsSet("runtime"):
		return p, fault.Usage("a worker in a clone sits at a terminal of its holder's", "leave out --runtime")
	case clone:
		far = true
	}
	if p.Agent, p.Program, err = launch.ChooseAgent(agent); err != nil && !(host != "" && p.Agent != nil) { // another machine may have it
		return p, err
	}
	p.Title = agentcli.Of(p.Agent.Name()).Title
	if far {
		err = planFar(cmd, c, &p, host)
		return p, err
	}
	if err := planRuntime(o, cmd, &p); err != nil {
		return p, err
	}
	withoutTerminal(o, cmd, c, &p)
	launch.PlanHooks(o, a, &p)
	return p, nil
}

// said is what a flag says, and what the configuration does where the flag is not there.
func said(cmd *cli.Command, c *config.Config, name string) string {
	if word := c.Word(name); word != "" && !cmd.IsSet(name) {
		return word
	}
	return cmd.String(name)
}

// planTask plans all that depends neither on the agent nor on where it runs.
func planTask(o *projects.Project, a *kit.App, cmd *cli.Command, c *config.Config, task string) (p manager.Plan, err error) {
	p = manager.Plan{
		Task: task, Name: cmd.String("name"), Permissions: slot.Permissions(said(cmd, c, "permissions")), Model: said(cmd, c, "model"),
		Base: said(cmd, c, "base"), Branch: cmd.String("branch"), Prefix: c.Word("branch_prefix"), Pass: cmd.StringSlice("env"),
		Rules: strings.TrimSpace(c.Word("rules")),
	}
	if prefix := manager.Slug(c.Word("sessionPrefix")); c.Word("sessionPrefix") != "" {
		p.Stem, p.Number = prefix, true
	}
	if err := config.CheckModel(p.Model); err != nil {
		return p, fault.Usage("--model: " + err.Error())
	}
	p.Furniture, p.MinFree = launch.SetupOf(a, c), c.Free()
	for _, text := range cmd.StringSlice("port") {
		if p.Furniture.Ports, err = launch.WithPort(p.Furniture.Ports, text); err != nil {
			return p, fault.Usage("--port "+fault.Quote(text)+": "+err.Error(), "--port PORT", "--port PORT=3000")
		}
	}
	if dir := c.Word("dir"); dir != "" {
		o.Store.Place(launch.TreesIn(o, dir))
	}
	gates := projects.GatesOf(c)
	if p.Gates = cmd.StringSlice("gate"); len(p.Gates) > 0 {
		gates.Run = p.Gates
	}
	if len(gates.Run) > 0 {
		p.Gated, p.Retries = true, gates.Retries
	}
	p.Budget = said(cmd, c, "budget")
	if err := checkBudget(p.Budget); err != nil {
		return p, fault.Usage("budget " + fault.Quote(p.Budget) + " (" + o.Relative(c.Where("budget")) + "): " + err.Error())
	}
	if cmd.Bool("no-setup") {
		p.Furniture.Setup = nil
	}
	if c.Confirm != "" {
		a.Warn("the project's file says more, which counts only after you confirmed it: "+plain.Line(strings.Join(launch.KeysOf(c.Texts), ", ")),
			"aburn config check")
	}
	p.Most, p.MostIn = c.MaxWorkers(runtime.NumCPU()), o.Relative(c.Where("max_workers"))
	if c.Where("max_workers") == "" {
		p.MostIn = "the default: 4 for each core, at most 16"
	}
	if p.Name != "" {
		if err := ledger.ValidName(p.Name); err != nil {
			return p, fault.Usage("--name " + fault.Quote(p.Name) + ": " + err.Error())
		}
	}
	if err := launch.CheckEnv(p.Pass); err != nil {
		return p, err
	}
	for _, name := range c.Words("env") { // what is not set is not missed
		if _, set := os.LookupEnv(name); set {
			p.Pass = append(p.Pass, name)
		}
	}
	return p, nil
}

// planFar has the worker run on a host, or with an empty host in a clone beside the repository.
func planFar(cmd *cli.Command, c *config.Config, p *manager.Plan, host string) error {
	switch {
	case cmd.Bool("attach"):
		return fault.Usage("--attach is a runtime of its own: your terminal", "leave out --runtime")
	case cmd.Bool("trust"):
		return fault.Usage("--trust is for an agent without a terminal, and there it sits at one and asks", "leave it out")
	case p.Budget != "":
		return fault.Usage("a budget cannot be watched in another repository: what an agent uses up there is not read here", "--budget ''")
	case host != "" && len(p.Furniture.Link) > 0:
		return fault.Usage("link: leads to files of this machine, which "+plain.Line(host)+" does not have: "+plain.Line(strings.Join(p.Furniture.Link, ", ")),
			"copy:, share: or setup: in aburn.yaml", "--workspace clone, on this machine")
	}
	if p.Gated && len(p.Gates) == 0 { // the file is not there, its gates come along
		p.Gates = projects.GatesOf(c).Run
	}
	p.Runtime, p.Hooked, p.Hook = manager.Machine{Host: host}, true, func(string) string { return "" }
	if host == "" {
		return nil
	}
	return launch.CheckHost(c, host)
}

// runtimeWords are what a file may say of the runtime, as the flag has it. tmux, where it is installed, needs no word.
var runtimeWords = map[string]string{headless.Name: headless.Name, "process": headless.Name, "pty": "pty"}

// planRuntime chooses where the agent runs: in tmux, and without a terminal where there is no tmux.
func planRuntime(o *projects.Project, cmd *cli.Command, p *manager.Plan) error {
	word := cmd.String("runtime")
	switch {
	case cmd.Bool("attach") && word != "":
		return fault.Usage("--attach is a runtime of its own: your terminal", "leave out --runtime")
	case cmd.Bool("attach"):
		return nil
	case word == "" && o.Tmux == nil:
		word = headless.Name
	case word == "":
		word = o.Tmux.Name()
	case word == "tmux" && o.Tmux == nil:
		return fault.Failed("tmux is not installed", "install tmux", "aburn spawn --runtime "+pty.Name+": a terminal without tmux",
			"aburn spawn --runtime "+headless.Name, "aburn spawn --attach: in this terminal, until it ends")
	}
	if word != headless.Name {
		launch.AtTerminal(o, p, word)
		return nil
	}
	if p.Agent.Protocol() == nil {
		return fault.Usage(p.Title+" cannot work without a terminal", "install tmux", "aburn spawn --attach")
	}
	p.Runtime, p.Lines = headless.Runtime{Env: o.Environ}, true
	return nil
}
