package settings

import (
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// later is a key of the model, kept until the model is built.
type later struct {
	key       string
	value     value
	keyAt, at int // byte offsets in the file
	file      *file
}

// Model returns the workflow: the default one, changed by workflow.* and timeouts.*. The first
// call of Model or Limits builds both, which may add Warnings. The hook of a tool call never
// needs them.
func (s *Settings) Model() *workflow.Model {
	s.build()
	return s.model
}

// Limits returns the supervisor's limits: the default ones, changed by supervisor.*.
func (s *Settings) Limits() *limits.Limits {
	s.build()
	return s.limits
}

func (s *Settings) build() {
	if s.model == nil {
		model := workflow.Default()
		b := builder{Settings: s, Model: &model, Limits: limits.Default()}
		for i := range s.later {
			s.later[i].file.settings = s // the Settings were copied after loading
		}
		b.each(keyPhases, b.phases)
		b.each(keyCommands, b.commands)
		b.order()
		b.values()
		b.environment()
		s.model, s.limits, s.later = &model, b.Limits, nil
	}
}

// maxPhaseTimeout is the longest timeout of a phase.
const maxPhaseTimeout = 24 * time.Hour

// builder changes the default model and limits by the kept keys.
type builder struct {
	*Settings
	*workflow.Model
	Limits *limits.Limits
}

func (b *builder) each(key string, set func(l *later)) {
	for i := range b.later {
		if l := &b.later[i]; l.key == key {
			set(l)
		}
	}
}

// values sets every key that is independent of the order of commands and phases.
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

// number sets one of the supervisor's numbers. ok is false for an unknown key.
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

// timeout sets how long a phase may take, or the default for phases without their own. A name
// that no phase can have makes the key unknown.
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

// environment applies the model's ABURN_* variables: times and numbers, no lists.
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

// variable passes the value of a key's variable to set, if there is one.
func (b *builder) variable(key string, set func(v value) (wrong string)) {
	name := variable(key)
	if text := b.env(name); text != "" {
		if wrong := set(value{text: text, string: true, scalar: true}); wrong != "" {
			b.warn(name + ": " + key + " " + wrong + ignored)
		}
	}
}

// noKey warns that the key is unknown.
func (l *later) noKey(m *workflow.Model) {
	l.file.warn(l.keyAt, func() string { return unknown(l.key, known(m)) + ignored })
}

func (l *later) wrong(what string) {
	l.file.warn(l.at, func() string { return l.key + " " + what + ignored })
}

func (l *later) wrongItem(item value, what string) {
	l.file.warn(l.at+item.at, func() string { return l.key + ": " + what + ignored })
}

// unknown warns that the key's name is no phase or command.
func (l *later) unknown(name, kind string, names []string) {
	l.file.warn(l.keyAt, func() string { return l.key + ": " + name + " is no " + kind + plain.Suggest(name, names) + ignored })
}
