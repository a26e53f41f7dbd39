//go:build agents

package main

import (
	"slices"
	"strings"

	"aburn/internal/lab/testkit/model"
)

// toolset holds an agent's tool calls for the actions that every agent has.
type toolset struct {
	sh    func(command string) model.Call
	write func(path, text string) model.Call
	read  func(path string) model.Call
}

var claude = toolset{
	sh: func(command string) model.Call {
		return tool("Bash", map[string]any{"command": command, "description": "a command"})
	},
	write: func(path, text string) model.Call {
		return tool("Write", map[string]any{"file_path": "$PROJECT/" + path, "content": text})
	},
	read: func(path string) model.Call {
		return tool("Read", map[string]any{"file_path": "$PROJECT/" + path})
	},
}

var codex = toolset{
	sh: func(command string) model.Call { return tool("exec_command", map[string]any{"cmd": command}) },
	write: func(path, text string) model.Call {
		return model.Call{Name: "apply_patch", Freeform: true,
			Input: "*** Begin Patch\n*** Add File: " + path + "\n+" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n+") + "\n*** End Patch\n"}
	},
	read: func(path string) model.Call { return tool("exec_command", map[string]any{"cmd": "cat " + path}) },
}

func tool(name string, input map[string]any) model.Call {
	return model.Call{Name: name, Input: encode(input)}
}

// edit is Claude Code's change of a part of a file.
func edit(path, before, after string) model.Call {
	return tool("Edit", map[string]any{"file_path": "$PROJECT/" + path, "old_string": before, "new_string": after})
}

// each is one turn of the model for every call.
func each(calls ...model.Call) []model.Turn {
	turns := make([]model.Turn, len(calls))
	for i, c := range calls {
		turns[i] = model.Calls(c)
	}
	return turns
}

// log runs aburn log.
func (h toolset) log(words string) model.Call { return h.sh("aburn log " + words) }

func (h toolset) test() model.Call { return h.sh("go test ./...") }

// script is one conversation.
func script(turns ...[]model.Turn) model.Script {
	return model.Script{{Name: "main", Turns: slices.Concat(turns...)}}
}

func says(text string) []model.Turn { return []model.Turn{model.Text(text)} }

// expand is the script with the project's path in it.
func expand(script model.Script, project string) {
	for _, c := range script {
		for i := range c.Turns {
			for j := range c.Turns[i].Calls {
				if input, ok := c.Turns[i].Calls[j].Input.(string); ok {
					c.Turns[i].Calls[j].Input = strings.ReplaceAll(input, "$PROJECT", project)
				}
			}
		}
	}
}

const (
	pushTest = "package stack\n\nimport \"testing\"\n\nfunc TestPush(t *testing.T) {\n\tvar s Stack\n\ts.Push(1)\n\tif s.Len() != 1 " +
		"{\n\t\tt.Fatal(s.Len())\n\t}\n}\n"
	pushBad = "package stack\n\n// Stack is a stack.\ntype Stack struct{ items []int }\n\n// Push adds an item.\nfunc (s *Stack) Push(n int) {}\n\n// Len " +
		"counts them.\nfunc (s *Stack) Len() int { return len(s.items) }\n"
	popTest = "package stack\n\nimport \"testing\"\n\nfunc TestPop(t *testing.T) {\n\tvar s Stack\n\ts.Push(7)\n\tif n := s.Pop(); n != 7 " +
		"{\n\t\tt.Fatal(n)\n\t}\n}\n"
	pop = "package stack\n\n// Pop takes the last item.\nfunc (s *Stack) Pop() int {\n\tn := s.items[len(s.items)-1]\n\ts.items = " +
		"s.items[:len(s.items)-1]\n\treturn n\n}\n"
)

var push = strings.Replace(pushBad, "Push(n int) {}", "Push(n int) { s.items = append(s.items, n) }", 1)

// tdd is a build of two slices, with a refactoring in the first.
func (h toolset) tdd() []model.Turn {
	return slices.Concat(h.firstSlice(), h.secondSlice(), each(
		h.log(`build COMPLETE --summary "a stack of numbers" --output stack.go --output pop.go --metric tests_passed=2 --next ship`)))
}

func (h toolset) firstSlice() []model.Turn {
	return slices.Concat(each(h.log("build START"), h.read("README.md"), h.test()), h.red("push_test.go", pushTest, "Push does not exist"), each(
		h.log("build PHASE_START --phase GREEN"),
		h.write("stack.go", pushBad), h.test(),
		h.write("stack.go", push), h.test(),
		h.log(`build PHASE_COMPLETE --phase GREEN --summary "Push adds" --metric tests_passed=1`),
		h.log("build PHASE_START --phase REFACTOR"),
		h.write("stack.go", strings.Replace(push, "is a stack", "is a stack of numbers", 1)), h.test(),
		h.log(`build PHASE_COMPLETE --phase REFACTOR --summary "says what it holds"`),
		h.log(`build MILESTONE --summary "slice 1 of 2: Push"`),
	))
}

func (h toolset) secondSlice() []model.Turn {
	return slices.Concat(h.red("pop_test.go", popTest, "Pop does not exist"), each(
		h.log("build PHASE_START --phase GREEN"),
		h.write("pop.go", pop), h.test(),
		h.log(`build PHASE_COMPLETE --phase GREEN --summary "Pop takes the last" --metric tests_passed=2`),
		h.log(`build MILESTONE --summary "slice 2 of 2: Pop"`),
	))
}

func (h toolset) red(path, text, why string) []model.Turn {
	return each(
		h.log("build PHASE_START --phase RED"),
		h.write(path, text), h.test(),
		h.log(`build PHASE_COMPLETE --phase RED --summary "`+why+`" --metric tests_failing=1 --output `+path))
}
