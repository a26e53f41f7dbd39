package settings

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"aburn/workflow"
)

// The longest names, in bytes, as entries have them.
const (
	maxPhaseName   = 32
	maxCommandName = 64
)

// isName says whether a name can stand in an entry.
func isName(name string, longest int) bool {
	return name != "" && len(name) <= longest && strings.Trim(name, nameBytes) == ""
}

// reserved are the names that entries have in cmd when no command is meant.
func reserved(name string) bool { return name == "session" || name == "supervisor" }

func (b *builder) phaseNames() []string {
	names := make([]string, len(b.Phases))
	for i := range b.Phases {
		names[i] = b.Phases[i].Name
	}
	return names
}

func (b *builder) commandNames() []string {
	names := make([]string, len(b.Commands))
	for i := range b.Commands {
		names[i] = b.Commands[i].Name
	}
	return names
}

// phases replaces the phases. Those that were there keep what is known of them, but for whether they are optional.
func (b *builder) phases(l *later) {
	var phases []workflow.Phase
	b.eachName(l, maxPhaseName, func(name string) bool {
		name, optional := strings.CutSuffix(name, "?")
		if slices.ContainsFunc(phases, func(p workflow.Phase) bool { return p.Name == name }) {
			return false
		}
		p, _ := b.Phase(name)
		p.Name, p.Optional = name, optional
		phases = append(phases, p)
		return true
	}, func() { b.Phases = phases })
}

// commands replaces the commands: each comes after the one before it. Those that were there keep what is known of them.
func (b *builder) commands(l *later) {
	var commands []workflow.Command
	after := ""
	b.eachName(l, maxCommandName, func(name string) bool {
		if slices.ContainsFunc(commands, func(c workflow.Command) bool { return c.Name == name }) {
			return false
		}
		c, _ := b.Command(name)
		c.Name, c.After = name, after
		commands, after = append(commands, c), name
		return true
	}, func() { b.Commands = commands })
}

// maxNames is how many phases or commands there may be: each is compared with each.
const maxNames = 64

// eachName adds the names of a list; add is false for one that it has. done follows unless nothing in it is right.
func (b *builder) eachName(l *later, longest int, add func(name string) bool, done func()) {
	items, ok := l.value.items()
	if !ok {
		l.wrong("should be a list of names")
		return
	}
	added := 0
	for _, item := range items {
		if added == maxNames {
			l.wrongItem(item, "more than "+strconv.Itoa(maxNames)+" names")
			break
		}
		bare := item.text
		if longest == maxPhaseName {
			bare = strings.TrimSuffix(bare, "?")
		}
		switch {
		case !item.string || !isName(bare, longest):
			l.wrongItem(item, clipped(item.text)+" cannot be a name")
		case longest == maxCommandName && reserved(bare):
			l.wrongItem(item, bare+" is a name that aburn itself uses")
		case !add(item.text):
			l.wrongItem(item, bare+" is in the list already")
		default:
			added++
		}
	}
	if added > 0 || len(items) == 0 {
		done()
	}
}

// order sets what comes after what. A command that comes after itself, also by way of others, keeps the place that it
// has in the list.
func (b *builder) order() {
	listed := make([]string, len(b.Commands))
	for i := range b.Commands {
		listed[i] = b.Commands[i].After
	}
	set := make([]*later, len(b.Commands)) // what said so
	for i := range b.later {
		if name, ok := strings.CutPrefix(b.later[i].key, keyAfter); ok {
			b.after(&b.later[i], name, set)
		}
	}
	for {
		i := b.circle(set)
		if i < 0 {
			return
		}
		l, c := set[i], &b.Commands[i]
		name, after := c.Name, c.After
		c.After, set[i] = listed[i], nil
		if name == after {
			l.wrong("cannot be " + name + " itself")
		} else {
			l.wrong("cannot be " + after + ", which comes after " + name)
		}
	}
}

// after sets what one command comes after.
func (b *builder) after(l *later, name string, set []*later) {
	i := slices.IndexFunc(b.Commands, func(c workflow.Command) bool { return c.Name == name })
	switch {
	case i < 0 && !isName(name, maxCommandName):
		l.noKey(b.Model)
	case i < 0:
		l.unknown(name, "command", b.commandNames())
	case !l.value.string:
		l.wrong(`should be the name of a command, or ""`)
	case l.value.text != "" && !slices.Contains(b.commandNames(), l.value.text):
		l.wrong("should be a command: " + clipped(l.value.text) + " is none" + didYouMean(l.value.text, b.commandNames()))
	default:
		b.Commands[i].After, set[i] = l.value.text, l
	}
}

// circle is the index of the last command of a circle that something was set for, -1 when there is no circle. The list
// itself has none.
func (b *builder) circle(set []*later) int {
	for i := len(b.Commands) - 1; i >= 0; i-- {
		if set[i] == nil {
			continue
		}
		at := b.Commands[i].After
		for range b.Commands {
			if at == b.Commands[i].Name {
				return i
			}
			c, _ := b.Command(at)
			at = c.After
		}
	}
	return -1
}

// milestones sets how many a command is expected to log.
func (b *builder) milestones(l *later, name string) bool {
	c := b.command(l, name)
	if c == nil {
		return isName(name, maxCommandName)
	}
	n, err := strconv.Atoi(l.value.text)
	if err != nil || !l.value.scalar || n < 0 || n > 1000 {
		l.wrong("should be a whole number from 0 to 1000")
		return true
	}
	c.Milestones = n
	return true
}

// outputs sets what a command should leave behind.
func (b *builder) outputs(l *later, name string) bool {
	c := b.command(l, name)
	if c == nil {
		return isName(name, maxCommandName)
	}
	return b.setList(l, &c.Outputs, isOutput)
}

// command is the command of that name; of one that is not there it warns, if it could be one.
func (b *builder) command(l *later, name string) *workflow.Command {
	for i := range b.Commands {
		if b.Commands[i].Name == name {
			return &b.Commands[i]
		}
	}
	if isName(name, maxCommandName) {
		l.unknown(name, "command", b.commandNames())
	}
	return nil
}

// isOutput says what is wrong with the pattern of an output.
func isOutput(pattern string) string {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return "is no pattern"
	}
	if strings.Contains(pattern, "/") {
		return "is compared with a file's name, which has no slash"
	}
	return ""
}
