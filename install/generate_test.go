package install

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// drawing makes settings files as people, agents and other installers leave them, each from its seed.
type drawing struct {
	*rand.Rand
	agent  Agent
	eol    string
	unit   string // "" with lines=false
	lines  bool   // one item a line
	wild   bool   // any space anywhere
	colon  string
	comma  string
	unique int
}

// draw is the settings file of a seed.
func draw(seed uint64, a Agent) []byte {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 2)), agent: a, eol: "\n", colon: ": ", comma: ", "}
	if d.chance(3) {
		d.eol = "\r\n"
	}
	switch d.IntN(6) {
	case 0: // compact
		d.colon, d.comma = ":", ","
	case 1: // on one line, with spaces
	case 2:
		d.wild = true
	default:
		d.lines = true
		d.unit = pick(d, "  ", "  ", "    ", "\t", " ", "")
	}
	bom := ""
	if d.chance(8) {
		bom = "\ufeff"
	}
	text := bom + d.object("", d.root()) + pick(d, "", d.eol, d.eol, d.eol, d.eol+d.eol, " ")
	if a.Hooks.Comments && d.chance(3) {
		text += pick(d, "// the end", "/* the end */"+d.eol)
	}
	return []byte(text)
}

func (d *drawing) chance(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d *drawing, of ...T) T { return of[d.IntN(len(of))] }

// drawn is one member to be laid out: value is called with the indentation of its line.
type drawn struct {
	key   string
	value func(indent string) string
}

func raw(s string) func(string) string { return func(string) string { return s } }

func (d *drawing) root() (out []drawn) {
	if d.chance(8) {
		return nil
	}
	add := func(key string, value func(string) string) { out = append(out, drawn{key, value}) }
	for range d.IntN(4) {
		key, value := d.scalar()
		add(key, raw(value))
	}
	if d.chance(3) {
		add("env", func(indent string) string { return d.object(indent, d.scalars(3)) })
	}
	if d.chance(3) {
		add("permissions", d.permissions())
	}
	for range d.IntN(5) / 2 {
		add("hooks", d.hooks()) // now and then twice
	}
	if d.chance(4) {
		add("statusLine", d.statusLine())
	}
	if d.chance(3) {
		add("mcpServers", d.servers())
	}
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// statusLine is somebody else's status line, or what stands where one could.
func (d *drawing) statusLine() func(string) string {
	if d.chance(6) {
		return raw(pick(d, "null", "{}", "{ }", `"~/.claude/status.sh"`, `{"type":"text","text":"x"}`, `{"type":"command"}`, `{"type":"command","command":""}`))
	}
	command := pick(d, `"~/.claude/status.sh {}[],:\"hooks\""`, `"\u006eode \/opt\/x.js | tr 'a-z' \"A-Z\""`, `"printf 'it'\\''s'"`, `"größe"`)
	return func(indent string) string {
		members := []drawn{{"type", raw(`"command"`)}, {"command", raw(command)}, {"padding", raw("0")}, {"refreshInterval", raw("5")}}[:2+d.IntN(3)]
		d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return d.object(indent, members)
	}
}

// servers are somebody else's MCP servers.
func (d *drawing) servers() func(string) string {
	if d.chance(3) {
		return raw(pick(d, "null", "{}", "{ }", "{"+d.eol+"}"))
	}
	return func(indent string) string {
		members := d.scalars(2)
		members = append(members, drawn{"aburn-too", func(indent string) string {
			return d.object(indent, []drawn{{"command", raw(`"/bin/aburn"`)}, {"args", raw(`["mcp"]`)}})
		}})
		return d.object(indent, append(members, d.scalars(1)...))
	}
}

// scalar is a member that no installer has any business with. Values and keys hold what confuses searches in text.
func (d *drawing) scalar() (key, value string) {
	d.unique++
	key = pick(d, "model", "unknown", "größe", "a.b", "", "hooks ", "Hooks", "x\ty", "\u2028") + strconv.Itoa(d.unique)
	value = pick(d, `"opus"`, `1`, `-0.0`, `1E+5`, `10000000000000000000000`, `true`, `null`, `[]`, `{}`, `[ ]`, `"\u00e4\/\ud83d\ude00"`,
		`"}],\"hooks\": {\"Stop\": ["`, `"日本語 // no comment"`, `[1,2,  3]`, `{"hooks":{"Stop":[{"hooks":[]}]}}`)
	return key, value
}

func (d *drawing) scalars(most int) (out []drawn) {
	for range d.IntN(most + 1) {
		key, value := d.scalar()
		out = append(out, drawn{key, raw(value)})
	}
	return out
}

func (d *drawing) permissions() func(string) string {
	if d.chance(5) {
		return raw("null")
	}
	return func(indent string) string {
		members := d.scalars(1)
		switch d.IntN(5) {
		case 0:
			members = append(members, drawn{"allow", raw("[]")})
		case 1:
			members = append(members, drawn{"allow", raw("null")})
		case 2:
			members = append(members, drawn{"allow", func(indent string) string {
				return d.array(indent, raw(`"Bash(git log:*)"`), raw(`"Read"`))
			}})
		case 3:
			members = append(members, drawn{"allow", raw(`["Bash(aburn log:*)"]`)})
		}
		return d.object(indent, append(members, d.scalars(1)...))
	}
}

func (d *drawing) hooks() func(string) string {
	switch d.IntN(6) {
	case 0:
		return raw("null")
	case 1:
		return raw(pick(d, "{}", "{ }", "{"+d.eol+"}"))
	}
	return func(indent string) string {
		var members []drawn
		for _, ev := range d.agent.events() {
			if d.chance(3) {
				members = append(members, drawn{ev.Name, d.groups()})
			}
			if d.chance(40) {
				members = append(members, drawn{ev.Name, d.groups()})
			}
		}
		if d.chance(3) {
			members = append(members, drawn{"WorktreeCreate", d.groups()})
		}
		d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return d.object(indent, members)
	}
}

func (d *drawing) groups() func(string) string {
	switch d.IntN(8) {
	case 0:
		return raw("null")
	case 1:
		return raw(pick(d, "[]", "[ ]", "["+d.eol+d.eol+"]"))
	}
	return func(indent string) string {
		var groups []func(string) string
		for range 1 + d.IntN(3) {
			groups = append(groups, d.group)
		}
		return d.array(indent, groups...)
	}
}

// group is somebody else's group of handlers.
func (d *drawing) group(indent string) string {
	if d.chance(10) {
		return pick(d, "null", "{}", `"Stop"`, "[]")
	}
	var members []drawn
	if d.chance(2) {
		members = append(members, drawn{"matcher", raw(pick(d, `"Bash"`, `""`, `"*"`, `"Edit|Write"`))})
	}
	members = append(members, drawn{"hooks", func(indent string) string {
		var list []func(string) string
		for range d.IntN(3) {
			list = append(list, d.handler)
		}
		return d.array(indent, list...)
	}})
	if d.chance(3) {
		key, value := d.scalar()
		members = append(members, drawn{key, raw(value)})
	}
	return d.object(indent, members)
}

// handler is somebody else's, though it may look like aburn's at first sight.
func (d *drawing) handler(indent string) string {
	d.unique++
	command := pick(d, "/opt/guard.sh", "aburn-hooked claude", "FOO=1 aburn-hook claude", "aburn-hook codex | tee x", "aburn-hook other", "python3 -c 'print(1)'")
	members := []drawn{
		{"type", raw(`"command"`)},
		{"command", raw(quote(command + " " + strconv.Itoa(d.unique)))},
		{"timeout", raw(pick(d, "5", "1.5", `"10"`))},
	}
	if d.chance(3) {
		key, value := d.scalar()
		members = append(members, drawn{key, raw(value)})
	}
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return d.object(indent, members)
}

func (d *drawing) object(indent string, members []drawn) string {
	return d.list(indent, "{}", len(members), func(i int, indent string) string {
		key := quote(members[i].key)
		if d.chance(60) && len(members[i].key) > 1 && members[i].key[0] < 0x80 {
			key = fmt.Sprintf(`"\u%04x%s`, members[i].key[0], key[2:])
		}
		return key + d.gap(d.colon, ":") + members[i].value(indent)
	})
}

func (d *drawing) array(indent string, elems ...func(string) string) string {
	return d.list(indent, "[]", len(elems), func(i int, indent string) string { return elems[i](indent) })
}

func (d *drawing) list(indent, brackets string, n int, one func(i int, indent string) string) string {
	if n == 0 {
		return brackets[:1] + d.gap("", "") + brackets[1:]
	}
	lines := d.lines && !d.chance(8)
	inner := indent
	before, between, after := "", d.comma, ""
	if lines {
		inner += d.unit
		before, between, after = d.eol+inner, ","+d.eol+inner, d.eol+indent
	}
	var b strings.Builder
	b.WriteString(brackets[:1] + d.gap(before, ""))
	for i := range n {
		if i > 0 {
			b.WriteString(d.gap(between, ","))
		}
		b.WriteString(one(i, inner))
	}
	b.WriteString(d.gap(after, "") + brackets[1:])
	return b.String()
}

// gap is the text between two tokens: tidy, or any space around what must stand there. For an agent that takes comments
// there is now and then one.
func (d *drawing) gap(tidy, must string) string {
	space := func() string { return pick(d, "", "", " ", "\t", d.eol, d.eol+"   ", "  ") }
	if d.wild {
		tidy = space() + must + space()
	}
	if !d.agent.Hooks.Comments || !d.chance(7) {
		return tidy
	}
	at := d.IntN(len(tidy) + 1)
	return tidy[:at] + pick(d, `/* "hooks": {}, */`, `// it's, [not] {"ours"}`+d.eol, "/**/", "//"+d.eol, "/*"+d.eol+"//*/", " // , mine"+d.eol) + tidy[at:]
}
