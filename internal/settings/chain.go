package settings

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/plain"
	"aburn/workflow"
)

// The longest names that entries allow, in bytes.
const (
	maxPhaseName   = 32
	maxCommandName = 64
)

// isName reports whether an entry can hold the name.
func isName(name string, longest int) bool {
	return name != "" && len(name) <= longest && strings.Trim(name, nameBytes) == ""
}

// reserved reports whether entries use the name where no command is meant.
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

// phases replaces the phases. A phase that existed keeps everything but whether it is optional.
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

// commands replaces the commands; each follows the one before it. A command that existed keeps
// its other properties.
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

// maxNames bounds phases and commands, because each is compared with each.
const maxNames = 64

// eachName adds the names of a list; add returns false for a duplicate. done follows unless every
// name is wrong.
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
			l.wrongItem(item, clipped(item.text)+" can't be a name")
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

// order sets the predecessors. A command that would follow itself, directly or through others,
// keeps its place in the list.
func (b *builder) order() {
	listed := make([]string, len(b.Commands))
	for i := range b.Commands {
		listed[i] = b.Commands[i].After
	}
	set := make([]*later, len(b.Commands)) // the key that set each command's predecessor
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

// after sets the predecessor of one command.
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
		l.wrong("should be a command: " + clipped(l.value.text) + " is none" + plain.Suggest(l.value.text, b.commandNames()))
	default:
		b.Commands[i].After, set[i] = l.value.text, l
	}
}

// circle is the index of the last command in a circle whose predecessor was set, or -1. The list
// alone makes no circle.
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

// milestones sets how many milestones a command is expected to log.
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

// outputs sets the files that a command should produce.
func (b *builder) outputs(l *later, name string) bool {
	c := b.command(l, name)
	if c == nil {
		return isName(name, maxCommandName)
	}
	return b.setList(l, &c.Outputs, isOutput)
}

// command finds a command by name. If the name is unknown but possible, it adds a warning.
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

// isOutput says what is wrong with the pattern of an output, or "".
func isOutput(pattern string) string {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return "is no pattern"
	}
	if strings.Contains(pattern, "/") {
		return "must not have a slash: it is compared with a file's name"
	}
	return ""
}
