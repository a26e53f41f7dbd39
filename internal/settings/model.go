package settings

import (
	"strings"
	"time"

	"aburn/supervisor/limits"
	"aburn/workflow"
)

// later is one key of the model, kept until the model is built.
type later struct {
	key       string
	value     value
	keyAt, at int // where they stand in the file
	file      *file
}

// Model is the workflow that holds here: the default with what workflow.* and timeouts.* changed in it. It and Limits
// are built at the first call of either, which may add Warnings; a tool call's hook never asks for them.
func (s *Settings) Model() *workflow.Model {
	s.build()
	return s.model
}

// Limits are the supervisor's limits that hold here: the default ones with what supervisor.* changed in them.
func (s *Settings) Limits() *limits.Limits {
	s.build()
	return s.limits
}

// build makes the model and the limits of the keys that were kept for them.
func (s *Settings) build() {
	if s.model == nil {
		model := workflow.Default()
		b := builder{Settings: s, Model: &model, Limits: limits.Default()}
		for i := range s.later {
			s.later[i].file.settings = s // it was loaded into another variable
		}
		b.each(keyPhases, b.phases)
		b.each(keyCommands, b.commands)
		b.order()
		b.values()
		b.environment()
		s.model, s.limits, s.later = &model, b.Limits, nil
	}
}

// maxPhaseTimeout is the longest a phase may take.
const maxPhaseTimeout = 24 * time.Hour

// builder makes a model and limits of the default ones.
type builder struct {
	*Settings
	*workflow.Model
	Limits *limits.Limits
}

// each calls set with each value of a key.
func (b *builder) each(key string, set func(l *later)) {
	for i := range b.later {
		if l := &b.later[i]; l.key == key {
			set(l)
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
		if row, name := find(l.key); row != nil && row.list != nil {
			if !row.list(b, l, name) {
				l.noKey(b.Model)
			}
			continue
		}
		wrong, ok := b.number(l.key, l.value)
		switch {
		case !ok:
			l.noKey(b.Model)
		case wrong != "":
			l.wrong(wrong)
		}
	}
}

// number sets a number of the supervisor's. ok is false for a key that is none.
func (b *builder) number(key string, v value) (wrong string, ok bool) {
	if row, _ := find(key); row != nil && row.number != nil {
		return row.number(b, v), true
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
	case limits.ErrNoLimit:
		return "", false
	default:
		return err.Error(), true
	}
}

// timeout sets how long a phase may take, or those that have no timeout of their own. Names that cannot be a phase are no keys.
func (b *builder) timeout(l *later, name string) bool {
	to := &b.Timeout
	if l.key != keyTimeouts+defaultTimeout {
		if !isName(name, maxPhaseName) {
			return false
		}
		if to = b.timeoutOf(name); to == nil {
			l.unknown(name, "phase", b.phaseNames())
			return true
		}
	}
	if wrong := setTime(to, l.value, time.Nanosecond, maxPhaseTimeout); wrong != "" {
		l.wrong(wrong)
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
	numbers := func(key string) {
		b.variable(key, func(v value) string { wrong, _ := b.number(key, v); return wrong })
	}
	for i := range settings {
		if settings[i].number != nil {
			numbers(settings[i].key)
		}
	}
	for _, name := range limits.Names() {
		numbers(keySupervisor + name)
	}
	for _, phase := range append(b.phaseNames(), defaultTimeout) {
		to := b.timeoutOf(phase)
		if to == nil {
			to = &b.Timeout
		}
		b.variable(keyTimeouts+phase, func(v value) string { return setTime(to, v, time.Nanosecond, maxPhaseTimeout) })
	}
}

// variable sets what the variable of a key says, if it says something.
func (b *builder) variable(key string, set func(v value) (wrong string)) {
	name := variable(key)
	if text := b.env(name); text != "" {
		if wrong := set(value{text: text, string: true, scalar: true}); wrong != "" {
			b.warn(name + ": " + key + " " + wrong + ignored)
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
