//go:build agents

package realagents

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/opencode"
)

// childTask is what the sub-agent is to do.
const childTask = "TASK-CHILD please"

// toolbox is how an agent's model calls the tools.
type toolbox struct {
	shell       func(command string) model.Call
	read, write model.Call
	edit, agent model.Call
}

// conversation is the script that both agents play, in two prompts.
func conversation(with toolbox) model.Script {
	return model.Script{
		titles(),
		helper("child", childTask, model.Calls(with.shell("echo child")), model.Text("child done")),
		{Name: "main", Turns: []model.Turn{
			{Text: "I will look.", Calls: []model.Call{with.shell("cat a.txt")}},
			model.Calls(with.shell("echo no >&2; exit 3")),
			model.Calls(with.read),
			model.Calls(with.edit),
			model.Calls(with.write),
			model.Calls(with.agent),
			model.Text("all done"),
			model.Text("again"),
		}},
	}
}

func claudeTools() toolbox {
	return toolbox{
		shell: func(c string) model.Call {
			return tool("Bash", map[string]any{"command": c, "description": "a command"})
		},
		read:  tool("Read", map[string]any{"file_path": "$PROJECT/a.txt"}),
		write: tool("Write", map[string]any{"file_path": "$PROJECT/b.txt", "content": "three\n"}),
		edit:  tool("Edit", map[string]any{"file_path": "$PROJECT/a.txt", "old_string": "one", "new_string": "two"}),
		agent: tool("Agent", map[string]any{"description": "a helper", "prompt": childTask,
			"subagent_type": "general-purpose", "run_in_background": false}),
	}
}

func opencodeTools() toolbox {
	return toolbox{
		shell: opencodeBash,
		read:  tool("read", map[string]any{"filePath": "$PROJECT/a.txt"}),
		write: tool("write", map[string]any{"filePath": "$PROJECT/b.txt", "content": "three\n"}),
		edit:  tool("edit", map[string]any{"filePath": "$PROJECT/a.txt", "oldString": "one", "newString": "two"}),
		agent: tool("task", map[string]any{"description": "a helper", "prompt": childTask, "subagent_type": "general"}),
	}
}

// allowed is all in which the traces may differ beyond ids, times, tool names and source references, and must: the place,
// Claude Code's value, opencode's. "-" is a value that is not told, "*" any, as where a text holds the path of the project.
const allowed = `
# Each says in its own words when a process begins, a turn ends, another process goes on.
main.markers: resumed | started stopped stopped
child.markers: - | started stopped

# The texts of tools are the agents' own: a command's output with and without its last newline, what an edit answers.
main.results.0.content.hash: * | *
main.results.0.content.length: 3 | 4
main.results.1.content.hash: * | *
main.results.1.content.length: 14 | 3
main.results.1.head: Exit code 3 no | no
main.results.2.content.hash: * | *
main.results.2.content.length: * | *
main.results.3.content.hash: * | *
main.results.3.content.length: * | *
main.results.4.content.hash: * | *
main.results.4.content.length: * | *
main.results.5.content.hash: * | *
main.results.5.content.length: * | *
child.results.0.content.hash: * | *
child.results.0.content.length: 5 | 6

# Claude Code tells the git branch of each answer.
main.responses.0.branch: main | -
main.responses.1.branch: main | -
main.responses.2.branch: main | -
main.responses.3.branch: main | -
main.responses.4.branch: main | -
main.responses.5.branch: main | -
main.responses.6.branch: main | -
main.responses.7.branch: main | -
child.responses.0.branch: main | -
child.responses.1.branch: main | -

# Claude Code tells an exit code of commands that failed only, opencode of all; what is an error, Claude Code tells of
# commands, and opencode only of calls that could not be carried out.
main.results.0.exit_code: - | 0
child.results.0.exit_code: - | 0
main.results.0.is_error: false | -
main.results.1.is_error: true | -
child.results.0.is_error: false | -

# The inputs have other names for the same things, and only Claude Code's calls are in the workflow log by their key.
main.events.6.tool_call.input.hash: * | *
main.events.6.tool_call.input.length: * | *
main.events.8.tool_call.input.hash: * | *
main.events.8.tool_call.input.length: * | *
main.events.11.tool_call.input.hash: * | *
main.events.11.tool_call.input.length: * | *
main.events.14.tool_call.input.hash: * | *
main.events.14.tool_call.input.length: * | *
main.events.2.tool_call.key: * | -
main.events.4.tool_call.key: * | -
main.events.6.tool_call.key: * | -
main.events.8.tool_call.key: * | -
main.events.11.tool_call.key: * | -
main.events.14.tool_call.key: * | -
child.events.1.tool_call.key: * | -

# opencode does not keep the file that an edit found.
main.events.10.file_change.hash: 27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a | -

# The agent's words for a kind of sub-agent and for why a model stopped.
main.events.15.subagent_spawn.agent_type: general-purpose | general
child.relationships.0.agent_type: general-purpose | general
main.outcome_from: stop_reason end_turn | message.finish stop
child.outcome_from: stop_reason end_turn | message.finish stop
main.responses.0.stop: tool_use | tool-calls
main.responses.1.stop: tool_use | tool-calls
main.responses.2.stop: tool_use | tool-calls
main.responses.3.stop: tool_use | tool-calls
main.responses.4.stop: tool_use | tool-calls
main.responses.5.stop: tool_use | tool-calls
main.responses.6.stop: end_turn | stop
main.responses.7.stop: end_turn | stop
child.responses.0.stop: tool_use | tool-calls
child.responses.1.stop: end_turn | stop
`

func TestSameConversation(t *testing.T) {
	files := map[string]string{"a.txt": "one\n"}
	c := newWorld(t, "claude", conversation(claudeTools()), files)
	c.claude("do the thing", free(sessionA)...)
	c.claude("and again", "--resume", sessionA, "--dangerously-skip-permissions")
	o := newWorld(t, "opencode", conversation(opencodeTools()), files)
	o.startOpencode("do the thing").wait()
	o.startOpencode("and again", "-c").wait()

	told := facts(t, tracetest.Read(t, claude.New(), filepath.Join(c.home, ".claude", "projects")))
	same := facts(t, tracetest.Read(t, opencode.New(), o.opencodeStore()))
	var differ []string
	for _, place := range slices.Sorted(maps.Keys(merged(told, same))) {
		if a, b := value(told, place), value(same, place); a != b {
			differ = append(differ, place+": "+a+" | "+b)
		}
	}
	var expected []string
	for line := range strings.Lines(allowed) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			expected = append(expected, line)
		}
	}
	for _, d := range differ {
		if !slices.ContainsFunc(expected, func(e string) bool { return allows(e, d) }) {
			t.Errorf("not allowed: %s", d)
		}
	}
	for _, e := range expected {
		if !slices.ContainsFunc(differ, func(d string) bool { return allows(e, d) }) {
			t.Errorf("is no difference any more: %s", e)
		}
	}
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func value(facts map[string]string, place string) string {
	if v, ok := facts[place]; ok {
		return v
	}
	return "-"
}

// allows says whether a difference is the one that is allowed.
func allows(allowed, found string) bool {
	place, values, _ := strings.Cut(allowed, ": ")
	foundPlace, foundValues, _ := strings.Cut(found, ": ")
	a, b, _ := strings.Cut(values, " | ")
	fa, fb, _ := strings.Cut(foundValues, " | ")
	is := func(want, got string) bool { return want == got || want == "*" && got != "-" }
	return place == foundPlace && is(a, fa) && is(b, fb)
}

// facts is the two traces of a sink, a value at each place, without ids, times, tool names and source references.
func facts(t *testing.T, s *tracetest.Sink) map[string]string {
	t.Helper()
	if len(s.Traces) != 2 || len(s.Errors) != 0 || len(s.Damage) != 0 {
		t.Fatalf("%d sessions, %v, %v", len(s.Traces), s.Errors, s.Damage)
	}
	names := map[string]string{}
	for _, tr := range s.Traces {
		name := "main"
		if tr.Relationships[0].Kind == trace.Subagent {
			name = "child"
		}
		names[tr.ID] = name
		for i, r := range tr.Responses {
			names[r.ID] = fmt.Sprintf("%s answer %d", name, i)
		}
	}
	facts := map[string]string{}
	for id, tr := range s.Traces {
		var markers []string
		tr.Events = slices.DeleteFunc(tr.Events, func(e trace.Event) bool {
			m, ok := e.Body.(*trace.Session)
			if ok {
				markers = append(markers, string(m.Marker))
			}
			return ok
		})
		if len(markers) > 0 {
			facts[names[id]+".markers"] = strings.Join(markers, " ")
		}
		places := map[int]int{} // numbers of events without the markers
		for i := range tr.Events {
			places[tr.Events[i].Seq] = i + 1
			tr.Events[i].Seq = i + 1
		}
		for i := range tr.Results {
			tr.Results[i].EventIndex = places[tr.Results[i].EventIndex]
		}
		for i := range tr.Responses {
			tr.Responses[i].Event = places[tr.Responses[i].Event]
		}
		data, err := json.Marshal(tr)
		if err != nil {
			t.Fatal(err)
		}
		var all any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		flatten(facts, names[id], all, names)
	}
	return facts
}

// unsaid is what is not compared: ids, times, tool names, source references, and who wrote the trace.
var unsaid = strings.Fields(`time start end active_ms duration_ms record turn ref sources scrub lineage extra agent source
	source_version project agent_id message model tool`)

// flatten puts each value at its place. Ids that names knows have the name in their stead.
func flatten(facts map[string]string, place string, v any, names map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if !slices.Contains(unsaid, key) {
				flatten(facts, place+"."+key, member, names)
			}
		}
	case []any:
		for i, element := range v {
			flatten(facts, fmt.Sprintf("%s.%d", place, i), element, names)
		}
	case string:
		if name, ok := names[v]; ok {
			v = name
		}
		facts[place] = v
	default:
		facts[place] = fmt.Sprint(v)
	}
}
