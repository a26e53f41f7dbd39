package kit

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// Examples is the metadata of a command with the example lines at the end of its help. A remark follows "  #".
func Examples(lines ...string) map[string]any {
	return map[string]any{"examples": lines}
}

// UseOwnHelp makes cli print help with this package. It sets variables of cli, so it holds for the whole process.
func (a *App) UseOwnHelp() {
	cli.UsageCommandHelp = "explain a command"
	cli.HelpPrinter = func(w io.Writer, _ string, data any) {
		if cmd, ok := data.(*cli.Command); ok {
			h := helpText{out: term.New(w, a.Getenv, false)}
			h.command(cmd)
			io.WriteString(w, h.b.String())
		}
	}
}

// showHelp is for `aburn log build --help`, where cli takes build for a topic.
func showHelp(_ context.Context, cmd *cli.Command, _ string) {
	cli.HelpPrinter(cmd.Root().Writer, "", cmd)
}

type helpText struct {
	out *term.Out
	b   strings.Builder
}

func (h *helpText) command(cmd *cli.Command) {
	h.heading(cmd.FullName())
	h.wrapped(0, plain.Width(cmd.FullName()), " - "+cmd.Usage)
	h.b.WriteByte('\n')
	h.heading("Usage:")
	fmt.Fprintf(&h.b, " %s\n", usageLine(cmd))
	for paragraph := range strings.SplitSeq(cmd.Description, "\n\n") {
		if text := strings.Join(strings.Fields(paragraph), " "); text != "" {
			h.b.WriteByte('\n')
			h.wrapped(0, 0, text)
		}
	}
	h.commands(shown(cmd))
	var flags, common [][2]string
	for _, c := range cmd.Lineage() {
		for _, f := range c.VisibleFlags() {
			switch local, ok := f.(cli.LocalFlag); {
			case c == cmd:
				flags = append(flags, flagHelp(f))
			case !ok || !local.IsLocal():
				common = append(common, flagHelp(f))
			}
		}
	}
	h.list("Options:", flags)
	h.list("Everywhere:", common)
	if lines, ok := cmd.Metadata["examples"].([]string); ok {
		h.examples(lines)
	}
}

// Heading is a part of the front page of a command's help: the names of its commands, in their order.
type Heading struct{ Title, Commands string }

// Front has a command's help list only the commands of these headings, where `help all` lists every one.
func Front(cmd *cli.Command, headings []Heading) { cmd.Metadata["front"] = headings }

// shown are the commands that the help of cmd lists, with the front page's headings as their categories.
func shown(cmd *cli.Command) []*cli.Command {
	headings, ok := cmd.Metadata["front"].([]Heading)
	if !ok {
		return cmd.VisibleCommands()
	}
	var list []*cli.Command
	for _, h := range headings {
		for name := range strings.FieldsSeq(h.Commands) {
			list = append(list, &cli.Command{Name: name, Usage: cmd.Command(name).Usage, Category: h.Title})
		}
	}
	return list
}

// HelpCommand is `aburn help`. Its word all lists every command, agents those of the category for agents.
func (a *App) HelpCommand(forAgents string) *cli.Command {
	return &cli.Command{
		Name:        "help",
		Usage:       "explain a command; `help all` lists all commands",
		ArgsUsage:   "[COMMAND…|all|agents]",
		Description: "Explains a command. `aburn help all` lists every command, `aburn help agents` those that agents and their prompts call.",
		Metadata:    Examples("aburn help cost", "aburn help all", "aburn help agents"),
		ShellComplete: a.CommandCompleter(func(cmd *cli.Command, n int) (words []string) {
			if n > 0 {
				return nil
			}
			for _, c := range cmd.Root().VisibleCommands() {
				words = append(words, c.Name)
			}
			return append(words, "all", "agents")
		}),
		Action: func(_ context.Context, cmd *cli.Command) error {
			root := cmd.Root()
			switch words := cmd.Args().Slice(); {
			case len(words) == 1 && (words[0] == "all" || words[0] == "agents"):
				h := helpText{out: term.New(root.Writer, a.Getenv, false)}
				list := root.VisibleCommands()
				if words[0] == "agents" {
					list = slices.DeleteFunc(list, func(c *cli.Command) bool { return c.Category != forAgents })
				}
				h.commands(list)
				_, err := io.WriteString(root.Writer, strings.TrimPrefix(h.b.String(), "\n"))
				return err
			default:
				at := root
				for _, word := range words {
					if at = at.Command(word); at == nil {
						return fault.Usage("there is no command "+fault.Quote(strings.Join(words, " ")), "aburn help all")
					}
				}
				showHelp(context.Background(), at, "")
				return nil
			}
		},
	}
}

// commands writes one list for each category, in the order in which categories and commands were declared. cli's own
// categories are sorted by name, and ours by use.
func (h *helpText) commands(all []*cli.Command) {
	var names []string
	groups := map[string][][2]string{}
	width := 0
	for _, c := range all {
		name := cmp.Or(c.Category, "Commands")
		if groups[name] == nil {
			names = append(names, name)
		}
		words := strings.Join(c.Names(), ", ")
		groups[name] = append(groups[name], [2]string{words, c.Usage})
		width = max(width, plain.Width(words))
	}
	for i, name := range names {
		if i == 0 {
			h.b.WriteByte('\n')
		}
		h.heading(name + ":")
		h.b.WriteByte('\n')
		h.rows(width, groups[name])
	}
}

// examples writes command lines, with their remarks in a second column.
func (h *helpText) examples(lines []string) {
	h.b.WriteByte('\n')
	h.heading("Examples:")
	h.b.WriteByte('\n')
	width := 0
	for _, line := range lines {
		if command, _, said := strings.Cut(line, "  #"); said {
			width = max(width, plain.Width(strings.TrimRight(command, " ")))
		}
	}
	for _, line := range lines {
		command, remark, said := strings.Cut(line, "  #")
		if command = strings.TrimRight(command, " "); said {
			command = plain.Pad(command, width) + "  " + h.out.Paint(term.Dim, "#"+remark)
		}
		h.b.WriteString("  " + command + "\n")
	}
}

func (h *helpText) heading(text string) { h.b.WriteString(h.out.Paint(term.Bold, text)) }

func usageLine(cmd *cli.Command) string {
	if cmd.UsageText != "" {
		return cmd.UsageText
	}
	line := cmd.FullName()
	if len(cmd.VisibleCommands()) > 0 {
		line += " command"
	}
	return strings.TrimSpace(line + " [options] " + cmd.ArgsUsage)
}

// flagHelp is a flag's names with the placeholder of its value, and its usage.
func flagHelp(f cli.Flag) [2]string {
	var names []string
	for _, name := range f.Names() {
		if len(name) == 1 { // the short one first, as people look for it
			names = append([]string{Dashed(name)}, names...)
		} else {
			names = append(names, Dashed(name))
		}
	}
	left, usage := strings.Join(names, ", "), ""
	if doc, ok := f.(cli.DocGenerationFlag); ok {
		usage = doc.GetUsage()
		placeholder := "VALUE"
		if before, rest, found := strings.Cut(usage, "`"); found {
			name, after, _ := strings.Cut(rest, "`")
			placeholder, usage = name, before+name+after
		}
		if doc.TakesValue() {
			left += " " + placeholder
		}
		if text := strings.Trim(doc.GetDefaultText(), `"`); doc.TakesValue() && text != "" && text != "." && text != "0" {
			usage += " (default " + text + ")"
		}
	}
	return [2]string{left, usage}
}

// list writes a heading and two columns below it.
func (h *helpText) list(title string, items [][2]string) {
	if len(items) == 0 {
		return
	}
	h.b.WriteByte('\n')
	h.heading(title)
	h.b.WriteByte('\n')
	width := 0
	for _, it := range items {
		if w := plain.Width(it[0]); w <= maxLeft {
			width = max(width, w)
		}
	}
	h.rows(width, items)
}

// rows writes two columns, the first of them width cells wide, the second one wrapped.
func (h *helpText) rows(width int, items [][2]string) {
	for _, it := range items {
		h.b.WriteString("  " + plain.Pad(it[0], width))
		if plain.Width(it[0]) > width {
			h.b.WriteString("\n" + strings.Repeat(" ", width+2))
		}
		h.b.WriteString("  ")
		h.wrapped(width+4, width+4, it[1])
	}
}

// maxLeft is the widest first column, in cells. Wider text has a line of its own.
const maxLeft = 24

// wrapped writes text behind the used cells of a line, and goes on in indented lines, none wider than the terminal or
// 100 cells.
func (h *helpText) wrapped(indent, used int, text string) {
	width := 100
	if w := h.out.Width(); w > 0 {
		width = min(w, width)
	}
	for i, word := range strings.Split(text, " ") {
		if w := plain.Width(word); i > 0 && used+1+w > width {
			h.b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		} else if i > 0 {
			h.b.WriteByte(' ')
			used++
		}
		h.b.WriteString(word)
		used += plain.Width(word)
	}
	h.b.WriteByte('\n')
}
