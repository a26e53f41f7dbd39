package settings

import (
	"strings"
	"time"

	"aburn/workflow"
)

// The keys. A file may nest them or write them with dots; in the environment log.rotate is ABURN_LOG_ROTATE.
const (
	keyRotate = "log.rotate"
	keyKeep   = "log.keep"
	keySync   = "log.sync"
	keyLinger = "watch.linger"

	// the user's own
	keyChainOnStart = "inject.chain_on_start"
	keyDesktop      = "notify.desktop"
	keyBell         = "notify.bell"
	keyCommand      = "notify.command"
	keyMin          = "notify.min"
	keyAtStop       = "deliver.at_stop"
	keyAgentEnd     = "deliver.agent_end"
	keyForeign      = "queue.foreign"
	keyExpires      = "queue.expires"
	keyAtSessionEnd = "archive.at_session_end"
	keyRetention    = "archive.retention"
	keyRules        = "remedy.rules"

	// the model's
	keyTimeouts     = "timeouts." // and the name of a phase, or "default"
	keyCommands     = "workflow.commands"
	keyAfter        = "workflow.after."      // and the name of a command
	keyOutputs      = "workflow.outputs."    // and the name of a command
	keyMilestones   = "workflow.milestones." // and the name of a command
	keyPhases       = "workflow.phases"
	keyTestsOnly    = "workflow.tests_only"
	keyFailingTest  = "workflow.failing_test"
	keyTests        = "workflow.tests"
	keyDocs         = "workflow.docs"
	keyTestCommands = "workflow.test_commands"
	keySupervisor   = "supervisor." // and the name of a limit
	keyQueueAbove   = "supervisor.queue_above"
	keySuggestAbove = "supervisor.suggest_above"
	keyCooldown     = "supervisor.cooldown"
	keyOff          = "supervisor.off"
)

// minRotate keeps the log from being rotated for every few entries.
const minRotate = 64 << 10

// userOnly says whether only the user's own file may set key: what agents are given, what is run, what is delivered.
func userOnly(key string) bool {
	for _, group := range []string{"inject", "notify", "deliver", "queue", "remedy", "archive"} {
		if key == group || strings.HasPrefix(key, group+".") {
			return true
		}
	}
	return false
}

// ofModel says whether a key is one of the model's.
func ofModel(key string) bool {
	return strings.HasPrefix(key, "workflow.") || strings.HasPrefix(key, keyTimeouts) || strings.HasPrefix(key, keySupervisor)
}

// known lists the keys for "did you mean", with the names of a model's commands and phases; nil is the default one.
func known(m *workflow.Model) []string {
	if m == nil {
		model := workflow.Default()
		m = &model
	}
	var keys []string
	for _, v := range variables() {
		keys = append(keys, v.key)
	}
	keys = append(keys,
		keyCommands, keyPhases, keyTestsOnly, keyFailingTest, keyTests, keyDocs, keyTestCommands,
		keyQueueAbove, keySuggestAbove, keyCooldown, keyOff, keyTimeouts+defaultTimeout,
	)
	for _, c := range m.Commands {
		keys = append(keys, keyAfter+c.Name, keyOutputs+c.Name, keyMilestones+c.Name)
	}
	for _, p := range m.Phases {
		keys = append(keys, keyTimeouts+p.Name)
	}
	for _, name := range m.Limits.Names() {
		keys = append(keys, keySupervisor+name)
	}
	return keys
}

// longest is the most that a time without a natural end may be set to.
const longest = 365 * 24 * time.Hour

// set puts one value in its place. ok is false for a key that is none; wrong says what the value should be.
func (s *Settings) set(key string, v value) (wrong string, ok bool) {
	switch key {
	case keyRotate:
		return setSize(&s.Rotate, v, minRotate), true
	case keyKeep:
		return setSize(&s.Keep, v, 0), true
	case keySync:
		return setSync(&s.Sync, v), true
	case keyLinger:
		return setTime(&s.Watch.Linger, v, 0, longest), true
	case keyChainOnStart:
		return setBool(&s.Inject.ChainOnStart, v), true
	case keyDesktop:
		return setBool(&s.Notify.Desktop, v), true
	case keyBell:
		return setBool(&s.Notify.Bell, v), true
	case keyCommand:
		return s.Notify.setCommand(v), true
	case keyMin:
		return setShare(&s.Notify.Min, v), true
	case keyAtStop:
		return setBool(&s.Deliver.AtStop, v), true
	case keyAgentEnd:
		return setBool(&s.Deliver.AgentEnd, v), true
	case keyForeign:
		return setBool(&s.Queue.Foreign, v), true
	case keyExpires:
		return setTime(&s.Queue.Expires, v, time.Second, longest), true
	case keyAtSessionEnd:
		return setBool(&s.Archive.AtSessionEnd, v), true
	case keyRetention:
		return setDays(&s.Archive.Retention, v), true
	}
	return "", false
}

func setSync(to *Sync, v value) string {
	switch sync := Sync(v.text); {
	case v.string && (sync == SyncNone || sync == SyncDurable || sync == SyncAll):
		*to = sync
		return ""
	}
	return `should be "none", "durable" or "all"`
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

// setCommand takes a line for the shell, or a list: a program and its arguments. An empty one runs nothing.
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

// nameBytes are what names of commands and phases consist of, as in entries, and keys.
const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/-"
