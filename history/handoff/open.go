package handoff

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"aburn/archive/story"
	"aburn/history/commits"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/trace"
)

// open is what the session left unfinished.
func (m *maker) open() (list []Statement) {
	list = append(m.ending(), m.denied()...)
	return append(list, m.tasks()...)
}

// ending is how the last turn ended, if it wasn't by itself, and the calls that have no result.
func (m *maker) ending() (list []Statement) {
	for i := len(m.stored.Events) - 1; i >= 0 && !story.IsPrompt(&m.stored.Events[i]); i-- {
		e := &m.stored.Events[i]
		switch b := e.Body.(type) {
		case *trace.Interrupt:
			list = append(list, m.at(e, units.Join("the last turn was interrupted", clean(b.Reason))))
		case *trace.Error:
			if b.Fatal {
				list = append(list, m.at(e, units.Join("an error ended the last turn", clean(b.Code), clean(b.Head))))
			}
		case *trace.AgentMessage:
			if e.Seq == m.lastMessage() && strings.HasSuffix(m.text(e.Seq, mostPrompt), "?") {
				list = append(list, m.at(e, "the agent's last message ends with a question, and nobody answered it"))
			}
		case *trace.ToolCall:
			if c := m.callAt(e.Seq); c.Counts() && c.Last() == nil {
				list = append(list, m.at(e, "no result of "+callName(b)+" is known"))
			}
		}
	}
	return list
}

func (m *maker) callAt(event int) *trace.Call {
	i, _ := slices.BinarySearchFunc(m.calls, event, func(c trace.Call, n int) int { return c.Event.Seq - n })
	return &m.calls[i]
}

func (m *maker) at(e *trace.Event, text string) Statement {
	return Statement{Text: text, From: FromSession, Event: e.Seq, Time: e.Time}
}

// denied are calls that somebody denied, and that didn't run later.
func (m *maker) denied() (list []Statement) {
	done := map[string]bool{}
	for i := len(m.calls) - 1; i >= 0; i-- {
		c := &m.calls[i]
		r := c.Last()
		key := c.Call.Tool + c.Call.Input.Hash
		if r == nil || !c.Counts() || done[key] {
			continue
		}
		done[key] = true
		if r.Denied != "" {
			list = append(list, m.at(c.Event, callName(c.Call)+" was "+story.CallState(r)))
		}
	}
	return list
}

// Agents keep lists of tasks by tools of two forms: one call has the whole list (TodoWrite, todowrite, todo_write, write_todos,
// update_plan), or one call makes or changes one task (TaskCreate, TaskUpdate of Claude Code).
func keepsTasks(tool string) bool {
	return isList(tool) || tool == "TaskCreate" || tool == "TaskUpdate"
}

func isList(tool string) bool {
	return slices.Contains([]string{"todowrite", "todo_write", "write_todos", "update_plan"}, strings.ToLower(tool))
}

type task struct {
	Content, Step, Description, Subject, Status string
	id                                          string
	event                                       int
}

// tasks are those that the agent itself did not mark as done.
func (m *maker) tasks() (list []Statement) {
	var all []task
	for i := range m.calls {
		c := &m.calls[i]
		r := c.Last()
		if !keepsTasks(c.Call.Tool) || !c.Counts() || r == nil || r.Failed() {
			continue
		}
		input, ok := m.texts.Found(c.Event.Seq)
		if !ok || input.Text == nil {
			continue
		}
		switch {
		case isList(c.Call.Tool):
			all = tasksIn(input.Text, c.Event.Seq)
		case c.Call.Tool == "TaskCreate":
			t := task{Status: "pending", id: m.idOf(r), event: c.Event.Seq}
			if json.Unmarshal(input.Text, &t) == nil && t.Subject != "" {
				t.Description = ""
				all = append(all, t)
			}
		default:
			var change struct{ TaskID, Status string }
			if json.Unmarshal(input.Text, &change) != nil || change.Status == "" {
				continue
			}
			for k := range all {
				if all[k].id == change.TaskID {
					all[k].Status, all[k].event = change.Status, c.Event.Seq
				}
			}
		}
	}
	for _, t := range all {
		text := clean(m.texts.Scrub.Text(strings.TrimSpace(t.Content + t.Step + t.Subject + t.Description)))
		if text == "" || slices.Contains([]string{"completed", "cancelled", "deleted", "done"}, t.Status) {
			continue
		}
		e := &m.stored.Events[t.event-1]
		list = append(list, m.at(e, "task “"+text+"”: "+strings.ReplaceAll(clean(t.Status), "_", " ")))
	}
	return list
}

// tasksIn are the tasks of a call that has the whole list.
func tasksIn(input []byte, event int) []task {
	var lists struct{ Todos, Plan []task }
	if json.Unmarshal(input, &lists) != nil {
		return nil
	}
	all := append(lists.Todos, lists.Plan...)
	for i := range all {
		all[i].event = event
	}
	return all
}

var taskNumber = regexp.MustCompile(`#(\d+)`)

// idOf is the number that a result of TaskCreate names.
func (m *maker) idOf(r *trace.ToolResultEvent) string {
	output, ok := m.texts.Found(r.EventIndex)
	if !ok {
		return ""
	}
	if found := taskNumber.FindSubmatch(output.Text); found != nil {
		return string(found[1])
	}
	return ""
}

// uncommitted lists what git finds changed in the session's worktree now.
func (m *maker) uncommitted(ctx context.Context, repo *commits.Repo) error {
	head, changes, err := repo.Status(ctx)
	if err != nil {
		return err
	}
	list := []Statement{{Text: clean(head) + ": nothing", From: FromGit}}
	if len(changes) > 0 {
		list[0].Text = clean(head) + ": " + plain.Plural(int64(len(changes)), "path")
	}
	for _, c := range changes {
		list = append(list, Statement{Text: c.What + " " + plain.CodePath(c.Path), From: FromGit})
	}
	m.add(Uncommitted, list)
	return nil
}
