package settings

import (
	"strings"
	"time"

	"aburn/supervisor/limits"
	"aburn/workflow"
)

type setting struct {
	key   string // files may nest it or write it with dots; COMMAND, PHASE or AGENT at its end stands for a name
	env   string // its variable; for the model's keys see variable
	user  bool   // only the user's own file may set it: what agents receive, what is run, what is delivered
	def   string // the default as a file would have it; for the model's keys as docs/reference/settings.md shows it
	about string // its meaning in docs/reference/settings.md

	set    func(s *Settings, v value) (wrong string)              // nil: read by named, the model or Rules
	named  func(s *Settings, name string, v value) (wrong string) // name replaces AGENT
	number func(b *builder, v value) (wrong string)               // for the model's keys
	list   func(b *builder, l *later, name string) (known bool)   // for the model's keys; name replaces COMMAND or PHASE
}

// settings lists every setting except the numbers of each type of issue, which package limits
// knows. All rows of a group (the part before the first dot) have the same user, and either all
// or none are the model's. It is static data, because hooks link it.
var settings = [...]setting{
	{key: "log.rotate", env: "ABURN_LOG_ROTATE", def: "16MiB",
		about: "the log continues in a new file at this size; at least 64 KiB",
		set:   func(s *Settings, v value) string { return setSize(&s.Rotate, v, minRotate) }},
	{key: "log.keep", env: "ABURN_LOG_KEEP", def: "512MiB",
		about: "the total size of older files that stay",
		set:   func(s *Settings, v value) string { return setSize(&s.Keep, v, 0) }},
	{key: "log.sync", env: "ABURN_LOG_SYNC", def: "durable",
		about: "which entries are on the disk when they are acknowledged: `none`, `durable` (ends of commands and phases, checkpoints) or `all`",
		set:   func(s *Settings, v value) string { return setSync(&s.Sync, v) }},

	{key: keyCommands, def: "`[\"ideate\", \"plan\", \"build\", \"ship\"]`",
		about: "the chain: each command follows the one before it. `[]`: no chain"},
	{key: keyAfter + "COMMAND", def: "the one before it",
		about: "the command that must be complete before this one starts; `\"\"`: none"},
	{key: "workflow.outputs.COMMAND", def: "`[\"*.md\"]` of ideate and plan",
		about: "its expected output: patterns for file names, without folders",
		list:  (*builder).outputs},
	{key: "workflow.milestones.COMMAND", def: "`1` of build, else `0`",
		about: "how many milestones all its phases together should have; `0`: none",
		list:  (*builder).milestones},
	{key: keyPhases, def: "`[\"RED\", \"GREEN\", \"REFACTOR?\"]`",
		about: "the phases of a command in their order; after the last comes the first again. One with `?` may be skipped"},
	{key: "workflow.tests_only", def: "`[\"RED\"]`",
		about: "phases in which production code is not edited",
		list: func(b *builder, l *later, _ string) bool {
			return b.flags(l, func(p *workflow.Phase) *bool { return &p.TestsOnly })
		}},
	{key: "workflow.failing_test", def: "`[\"RED\"]`",
		about: "phases that must show or declare a failing test",
		list: func(b *builder, l *later, _ string) bool {
			return b.flags(l, func(p *workflow.Phase) *bool { return &p.FailingTest })
		}},
	{key: "workflow.tests", def: "below", about: "paths that are tests or fixtures",
		list: func(b *builder, l *later, _ string) bool { return b.setList(l, &b.Tests, isPattern) }},
	{key: "workflow.docs", def: "below", about: "paths that are neither tests nor production code",
		list: func(b *builder, l *later, _ string) bool { return b.setList(l, &b.Docs, isPattern) }},
	{key: "workflow.test_commands", def: "below", about: "shell commands that run tests",
		list: func(b *builder, l *later, _ string) bool { return b.setList(l, &b.TestCommands, isWords) }},
	{key: keyTimeouts + defaultTimeout, def: "`5m`",
		about: "how long a phase may take before it counts as stuck; at most 24h",
		list:  (*builder).timeout},
	{key: keyTimeouts + "PHASE", def: "`10m` RED, `5m` GREEN, `3m` REFACTOR",
		about: "the same for one phase",
		list:  (*builder).timeout},

	{key: "supervisor.queue_above", def: "`0.9`",
		about:  "an issue of a higher confidence is queued for the agent",
		number: func(b *builder, v value) string { return setShare(&b.Limits.QueueAbove, v) }},
	{key: "supervisor.suggest_above", def: "`0.7`",
		about:  "you are notified of an issue of at least this confidence with a suggestion, of others without one",
		number: func(b *builder, v value) string { return setShare(&b.Limits.SuggestAbove, v) }},
	{key: "supervisor.cooldown", def: "`30m`",
		about:  "how long after an intervention the same one is not repeated",
		number: func(b *builder, v value) string { return setTime(&b.Limits.Cooldown, v, 0, longest) }},
	{key: "supervisor.off", def: "`[]`",
		about: "types of issues to ignore",
		list:  (*builder).off},
	{key: "watch.linger", env: "ABURN_WATCH_LINGER", def: "10m",
		about: "how long `aburn supervisor watch` continues when nothing is running; `0`: until you stop it",
		set:   func(s *Settings, v value) string { return setTime(&s.Watch.Linger, v, 0, longest) }},

	{key: "record", env: "ABURN_RECORD", user: true, def: "marked",
		about: "what hooks record: `marked` (projects where you ran `aburn init` or `aburn install-hooks`) or `everywhere` (each git repository that you work " +
			"in; never your home directory, a temporary folder, or a repository with an `.oss` of its own)",
		set: func(s *Settings, v value) string { return setRecord(&s.Record, v) }},
	{key: "snapshots", env: "ABURN_SNAPSHOTS", user: true, def: "off",
		about: "snapshots of your worktree for [`aburn undo`](../guide/history.md#undo-what-a-session-did): `off`, `prompts` (before and after each turn) or " +
			"`prompts+risky` (also before commands that may overwrite or delete files; those wait for it)",
		set: func(s *Settings, v value) string { return setSnapshots(&s.Snapshots, v) }},
	{key: "hidden", env: "ABURN_HIDDEN", user: true, def: "[]",
		about: "projects that `aburn web` and `aburn top` leave out: a list of folders, by path or by name, with `*` if you like: " +
			"`[\"~/private\", \"~/work/*\", \"scratch\"]`. Projects in such a folder are left out too",
		set: func(s *Settings, v value) string { return setFolders(&s.Hidden, v) }},
	{key: "inject.chain_on_start", env: "ABURN_INJECT_CHAIN_ON_START", user: true, def: "true",
		about: "after a compaction or a resumed session, the agent gets what this session logged",
		set:   func(s *Settings, v value) string { return setBool(&s.Inject.ChainOnStart, v) }},
	{key: "deliver.in_turn", env: "ABURN_DELIVER_IN_TURN", user: true, def: "off",
		about: "types of issues that an agent learns [within a turn](../guide/supervising.md#give-advice-within-a-turn), after a tool call: a list of `loop`, " +
			"`tool_failure_run`, `edit_churn`, `phase_stuck`, or `off`",
		set: func(s *Settings, v value) string { return setTypes(&s.Deliver.InTurn, v, limits.InTurn) }},
	{key: "deliver.at_stop", env: "ABURN_DELIVER_AT_STOP", user: true, def: "false",
		about: "critical tasks are delivered also when the agent wants to stop, not only at your next prompt; where no prompt will come (`claude -p`, `codex " +
			"exec`), all tasks are",
		set: func(s *Settings, v value) string { return setBool(&s.Deliver.AtStop, v) }},
	{key: "deliver.agent_end", env: "ABURN_DELIVER_AGENT_END", user: true, def: "true",
		about: "an agent learns in one line, at its next prompt, that one of its sub-agents has ended",
		set:   func(s *Settings, v value) string { return setBool(&s.Deliver.AgentEnd, v) }},
	{key: "queue.foreign", env: "ABURN_QUEUE_FOREIGN", user: true, def: "false",
		about: "tasks in `.oss/queue.json` that aburn did not sign are delivered without `aburn queue allow`",
		set:   func(s *Settings, v value) string { return setBool(&s.Queue.Foreign, v) }},
	{key: "queue.expires", env: "ABURN_QUEUE_EXPIRES", user: true, def: "1h",
		about: "how long a task is worth delivering",
		set:   func(s *Settings, v value) string { return setTime(&s.Queue.Expires, v, time.Second, longest) }},
	{key: "archive.at_session_end", env: "ABURN_ARCHIVE_AT_SESSION_END", user: true, def: "true",
		about: "at the end of a session in a trusted project, the hook starts `aburn ingest` and doesn't wait for it",
		set:   func(s *Settings, v value) string { return setBool(&s.Archive.AtSessionEnd, v) }},
	{key: "archive.retention", env: "ABURN_ARCHIVE_RETENTION", user: true, def: "0",
		about: "how many days a session stays in [the archive](../guide/sessions.md) after its end; `0`: forever",
		set:   func(s *Settings, v value) string { return setDays(&s.Archive.Retention, v) }},
	{key: "mcp.all_projects", env: "ABURN_MCP_ALL_PROJECTS", user: true, def: "false",
		about: "agents that ask over [MCP](../guide/mcp.md) may see the sessions of all your projects, not only of the one that they work in",
		set:   func(s *Settings, v value) string { return setBool(&s.MCP.AllProjects, v) }},
	{key: "mcp.workers", env: "ABURN_MCP_WORKERS", user: true, def: "false",
		about: "agents that ask over [MCP](../guide/mcp.md) may see the [workers](../guide/workers.md) of their own project, begin some, and write to them",
		set:   func(s *Settings, v value) string { return setBool(&s.MCP.Workers, v) }},
	{key: "instrument.mcp.max_usd", env: "ABURN_INSTRUMENT_MCP_MAX_USD", user: true, def: "0",
		about: "dollars: an agent may start a run of `aburn instrument` [without your approval](instrument.md#agents) if its ceiling is known " +
			"and below; `0`: never",
		set: func(s *Settings, v value) string { return setMoney(&s.Instrument.MaxUSD, v) }},
	{key: "instrument.telemetry", env: "ABURN_INSTRUMENT_TELEMETRY", user: true, def: "",
		about: "where `aburn instrument` sends [spans of its own work](instrument.md#telemetry-of-aburns-own-work): the address of an OTLP receiver, " +
			"`http://localhost:4318`. Empty: nowhere",
		set: func(s *Settings, v value) string { return setAddress(&s.Instrument.Telemetry, v) }},
	{key: "cost.budget.day", env: "ABURN_COST_BUDGET_DAY", user: true, def: "0",
		about: "dollars that a day may cost at list prices: at 80 and 100 % you get [one notice](../guide/cost.md#budgets); `0`: no budget",
		set:   func(s *Settings, v value) string { return setMoney(&s.Cost.Budget.Day, v) }},
	{key: "cost.budget.week", env: "ABURN_COST_BUDGET_WEEK", user: true, def: "0",
		about: "the same for a week, from Monday",
		set:   func(s *Settings, v value) string { return setMoney(&s.Cost.Budget.Week, v) }},
	{key: "cost.budget.month", env: "ABURN_COST_BUDGET_MONTH", user: true, def: "0",
		about: "the same for a month",
		set:   func(s *Settings, v value) string { return setMoney(&s.Cost.Budget.Month, v) }},
	{key: "cost.budget.projects", env: "ABURN_COST_BUDGET_PROJECTS", user: true, def: "[]",
		about: "budgets of single projects: `[{\"project\": \"shop\", \"day\": 5, \"month\": 80}]`. A project is its folder's name or path",
		set:   func(s *Settings, v value) string { return setProjectBudgets(&s.Cost.Projects, v) }},
	{key: "cost.billing.AGENT", env: "ABURN_COST_BILLING_AGENT", user: true, def: "unknown",
		about: "how you pay for the agent of this name: `api` (by use), `subscription` or `unknown`. It decides [the name of an amount](../guide/cost.md#whose-bill)",
		named: func(s *Settings, name string, v value) string { return s.Cost.setBilling(name, v) }},
	{key: "cost.currency.code", env: "ABURN_COST_CURRENCY_CODE", user: true, def: "",
		about: "the [currency of amounts](../guide/cost.md#another-currency), together with the next two: `EUR`. Empty: dollars",
		set:   func(s *Settings, v value) string { return setCurrency(&s.Cost.Currency.Code, v) }},
	{key: "cost.currency.per_dollar", env: "ABURN_COST_CURRENCY_PER_DOLLAR", user: true, def: "",
		about: "the price of one dollar in it: `0.92`",
		set:   func(s *Settings, v value) string { return setRate(&s.Cost.Currency.PerDollar, v) }},
	{key: "cost.currency.date", env: "ABURN_COST_CURRENCY_DATE", user: true, def: "",
		about: "the day of that rate: `2026-11-20`",
		set:   func(s *Settings, v value) string { return setDate(&s.Cost.Currency.Date, v) }},
	{key: "remedy.rules", env: "ABURN_REMEDY_RULES", user: true, def: "[]",
		about: "your own fixes for errors, for `aburn remedy`: [a list of rules](sessions.md#rules-of-your-own)"},
	{key: "notify.desktop", env: "ABURN_NOTIFY_DESKTOP", user: true, def: "true",
		about: "desktop notifications: of issues by `aburn supervisor watch`, of budgets by an ingest",
		set:   func(s *Settings, v value) string { return setBool(&s.Notify.Desktop, v) }},
	{key: "notify.bell", env: "ABURN_NOTIFY_BELL", user: true, def: "false",
		about: "also ring the terminal's bell",
		set:   func(s *Settings, v value) string { return setBool(&s.Notify.Bell, v) }},
	{key: "notify.command", env: "ABURN_NOTIFY_COMMAND", user: true, def: "",
		about: "also run your own command, which gets the issue or the [budget](../guide/cost.md#budgets) as JSON on stdin: a line for the shell, or a list of a " +
			"program and its arguments",
		set: func(s *Settings, v value) string { return s.Notify.setCommand(v) }},
	{key: "notify.min", env: "ABURN_NOTIFY_MIN", user: true, def: "0",
		about: "notify only of issues with at least this confidence",
		set:   func(s *Settings, v value) string { return setShare(&s.Notify.Min, v) }},
}

// Keys and prefixes that the builder of the model handles in its own order.
const (
	keyCommands   = "workflow.commands"
	keyPhases     = "workflow.phases"
	keyAfter      = "workflow.after."
	keyTimeouts   = "timeouts."
	keySupervisor = "supervisor." // followed by the name of a limit
)

const (
	minRotate = 64 << 10             // smaller sizes would rotate the log every few entries
	longest   = 365 * 24 * time.Hour // the longest value of a time without a natural end
)

// find returns the row of a key, or nil, and the name in place of COMMAND, PHASE or AGENT.
func find(key string) (row *setting, name string) {
	for i := range settings {
		row := &settings[i]
		if row.key == key {
			return row, ""
		}
		if before, placeholder := row.placeholder(); placeholder != "" && strings.HasPrefix(key, before) {
			return row, key[len(before):]
		}
	}
	return nil, ""
}

// placeholder splits COMMAND, PHASE or AGENT from a key that ends in one.
func (r *setting) placeholder() (before, placeholder string) {
	for _, placeholder := range [...]string{"COMMAND", "PHASE", "AGENT"} {
		if before, ok := strings.CutSuffix(r.key, placeholder); ok {
			return before, placeholder
		}
	}
	return r.key, ""
}

// userOnly reports whether only the user's own file may set key, which may be a group or an
// unknown key of a group.
func userOnly(key string) bool {
	group, _, _ := strings.Cut(key, ".")
	for i := range settings {
		if of, _, _ := strings.Cut(settings[i].key, "."); of == group {
			return settings[i].user
		}
	}
	return false
}

// ofModel reports whether key belongs to the model.
func ofModel(key string) bool {
	return strings.HasPrefix(key, "workflow.") || strings.HasPrefix(key, keyTimeouts) || strings.HasPrefix(key, keySupervisor)
}

// known lists the keys for "did you mean", with the names of m's commands and phases, or of the
// default model's.
func known(m *workflow.Model) (keys []string) {
	if m == nil {
		model := workflow.Default()
		m = &model
	}
	for i := range settings {
		switch before, placeholder := settings[i].placeholder(); placeholder {
		case "COMMAND":
			for _, c := range m.Commands {
				keys = append(keys, before+c.Name)
			}
		case "PHASE":
			for _, p := range m.Phases {
				keys = append(keys, before+p.Name)
			}
		default:
			keys = append(keys, settings[i].key)
		}
	}
	for _, name := range limits.Names() {
		keys = append(keys, keySupervisor+name)
	}
	return keys
}

func defaults() (s Settings) {
	for i := range settings {
		if row := &settings[i]; row.set != nil {
			row.set(&s, value{text: row.def, string: true, scalar: true})
		}
	}
	return s
}

// environment applies the ABURN_* variables over the files. It looks up only known keys. Those of
// the model follow when the model is built.
func (s *Settings) environment(own string) {
	for i := range settings {
		row := &settings[i]
		if row.env == "" {
			continue
		}
		text := s.env(row.env)
		if text == "" {
			continue
		}
		wrong := ""
		if row.user {
			wrong = "counts only in the user's own settings, " + own
		} else {
			wrong = row.set(s, value{text: text, string: true, scalar: true})
		}
		if wrong != "" {
			s.warn(row.env + ": " + row.key + " " + wrong + ignored)
		}
	}
}

// variable is a key's environment variable: ABURN_LOG_ROTATE for log.rotate.
func variable(key string) string {
	name := append(make([]byte, 0, 64), "ABURN_"...)
	for i := range len(key) {
		switch c := key[i]; {
		case c == '.':
			name = append(name, '_')
		case 'a' <= c && c <= 'z':
			name = append(name, c-'a'+'A')
		default:
			name = append(name, c)
		}
	}
	return string(name)
}

func setSync(to *Sync, v value) string {
	switch sync := Sync(v.text); {
	case v.string && (sync == SyncNone || sync == SyncDurable || sync == SyncAll):
		*to = sync
		return ""
	}
	return `should be "none", "durable" or "all"`
}

func setAddress(to *string, v value) string {
	if v.text != "" && (!v.string || !strings.HasPrefix(v.text, "http://") && !strings.HasPrefix(v.text, "https://") || strings.ContainsAny(v.text, " \t\r\n")) {
		return "should be an address that begins with http:// or https://"
	}
	*to = v.text
	return ""
}

func setBool(to *bool, v value) string {
	switch v.text {
	case "true", "1", "on", "yes":
		*to = true
	case "false", "0", "off", "no":
		*to = false
	default:
		return "should be true or false"
	}
	return ""
}

// setCommand sets a shell line, or a list of a program and its arguments. An empty one runs
// nothing.
func (n *Notify) setCommand(v value) string {
	if v.string {
		n.Line, n.Command = strings.TrimSpace(v.text), nil
		return ""
	}
	items, ok := v.items()
	var argv []string
	for i, item := range items {
		ok = ok && item.string && !strings.Contains(item.text, "\x00") && (i > 0 || item.text != "")
		argv = append(argv, item.text)
	}
	if !ok {
		return "should be a line for the shell, or a list: a program and its arguments"
	}
	n.Line, n.Command = "", argv
	return ""
}

// nameBytes are the characters of keys and, as in entries, of the names of commands and phases.
const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/-"
