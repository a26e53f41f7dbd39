package settings

import (
	"strings"
	"time"

	"aburn/workflow"
)

// later is one key of the model, kept until the model is built.
type later struct {
	key       string
	value     value
	keyAt, at int // where they stand in the file
	file      *file
}

// Model is the workflow that holds here: the default with what workflow.*, timeouts.* and supervisor.* changed in it.
// It is built at the first call, which may add Warnings; a tool call's hook never asks for it.
func (s *Settings) Model() *workflow.Model {
	if s.model == nil {
		model := workflow.Default()
		b := builder{Settings: s, Model: &model}
		for i := range s.later {
			s.later[i].file.settings = s // it was loaded into another variable
		}
		b.names(keyPhases)
		b.names(keyCommands)
		b.order()
		b.values()
		b.environment()
		s.model, s.later = &model, nil
	}
	return s.model
}

// maxPhaseTimeout is the longest a phase may take.
const maxPhaseTimeout = 24 * time.Hour

// builder makes a model of the default one.
type builder struct {
	*Settings
	*workflow.Model
}

// names sets the names of phases or commands: all else refers to them.
func (b *builder) names(key string) {
	for i := range b.later {
		if l := &b.later[i]; l.key == key {
			if key == keyPhases {
				b.phases(l)
			} else {
				b.commands(l)
			}
		}
	}
}

// values sets what belongs to a name, or to none.
func (b *builder) values() {
	for i := range b.later {
		l := &b.later[i]
		if l.key == keyPhases || l.key == keyCommands || strings.HasPrefix(l.key, keyAfter) {
			continue
		}
		if !b.set(l) {
			l.noKey(b.Model)
		}
	}
}

// set puts one value in its place; false means that its key is none.
func (b *builder) set(l *later) bool {
	if list := b.list(l.key); list != nil {
		b.setList(l, list)
		return true
	}
	if name, ok := strings.CutPrefix(l.key, keyTimeouts); ok {
		return b.timeout(l, name)
	}
	if name, ok := strings.CutPrefix(l.key, keyMilestones); ok {
		return b.milestones(l, name)
	}
	if name, ok := strings.CutPrefix(l.key, keyOutputs); ok {
		return b.outputs(l, name)
	}
	switch l.key {
	case keyTestsOnly:
		b.flags(l, func(p *workflow.Phase) *bool { return &p.TestsOnly })
		return true
	case keyFailingTest:
		b.flags(l, func(p *workflow.Phase) *bool { return &p.FailingTest })
		return true
	case keyOff:
		b.off(l)
		return true
	}
	wrong, ok := b.limit(l.key, l.value)
	if wrong != "" {
		l.wrong(wrong)
	}
	return ok
}

// limit sets a number of the supervisor's.
func (b *builder) limit(key string, v value) (wrong string, ok bool) {
	switch key {
	case keyQueueAbove:
		return setShare(&b.Limits.QueueAbove, v), true
	case keySuggestAbove:
		return setShare(&b.Limits.SuggestAbove, v), true
	case keyCooldown:
		return setTime(&b.Limits.Cooldown, v, 0, longest), true
	}
	name, ok := strings.CutPrefix(key, keySupervisor)
	if !ok {
		return "", false
	}
	text := v.text
	if !v.scalar {
		text = ""
	}
	switch err := b.Limits.Set(name, text); err {
	case nil:
		return "", true
	case workflow.ErrNoLimit:
		return "", false
	default:
		return err.Error(), true
	}
}

// timeout sets how long a phase may take. Names that cannot be a phase are no keys.
func (b *builder) timeout(l *later, name string) bool {
	if !isName(name, maxPhaseName) {
		return false
	}
	to := &b.Timeout
	if name != defaultTimeout {
		if to = b.timeoutOf(name); to == nil {
			l.unknown(name, "phase", b.phaseNames())
			return true
		}
	}
	if wrong := setTime(to, l.value, time.Nanosecond, maxPhaseTimeout); wrong != "" {
		l.wrong(`should be a time like "10m" (at most 24h), or seconds`)
	}
	return true
}

func (b *builder) timeoutOf(phase string) *time.Duration {
	for i := range b.Phases {
		if b.Phases[i].Name == phase {
			return &b.Phases[i].Timeout
		}
	}
	return nil
}

// environment sets what ABURN_* variables say: times and numbers, no lists.
func (b *builder) environment() {
	if b.env == nil {
		return
	}
	keys := []string{keyQueueAbove, keySuggestAbove, keyCooldown}
	for _, name := range b.Limits.Names() {
		keys = append(keys, keySupervisor+name)
	}
	for _, key := range keys {
		if text := b.env(variable(key)); text != "" {
			if wrong, _ := b.limit(key, value{text: text, string: true, scalar: true}); wrong != "" {
				b.warn(variable(key) + ": " + key + " " + wrong + ignored)
			}
		}
	}
	for _, phase := range append(b.phaseNames(), defaultTimeout) {
		key := keyTimeouts + phase
		text, to := b.env(variable(key)), b.timeoutOf(phase)
		if to == nil {
			to = &b.Timeout
		}
		if text == "" {
			continue
		}
		if wrong := setTime(to, value{text: text, string: true, scalar: true}, time.Nanosecond, maxPhaseTimeout); wrong != "" {
			b.warn(variable(key) + ": " + key + ` should be a time like "10m" (at most 24h), or seconds` + ignored)
		}
	}
}

// noKey warns of a key that is none.
func (l *later) noKey(m *workflow.Model) {
	l.file.warn(l.keyAt, func() string { return unknown(l.key, known(m)) + ignored })
}

// wrong warns of the value.
func (l *later) wrong(what string) {
	l.file.warn(l.at, func() string { return l.key + " " + what + ignored })
}

// wrongItem warns of an item of a list.
func (l *later) wrongItem(item value, what string) {
	l.file.warn(l.at+item.at, func() string { return l.key + ": " + what + ignored })
}

// unknown warns of a key that names no phase, no command.
func (l *later) unknown(name, kind string, names []string) {
	l.file.warn(l.keyAt, func() string { return l.key + ": " + name + " is no " + kind + didYouMean(name, names) + ignored })
}
