package state

import (
	"fmt"
	"strings"
	"testing"

	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// Only what can change a verdict is asked for, and what is asked again and again
// has an end.
func TestWants(t *testing.T) {
	for drawing, want := range map[string]string{
		"@A proc=12 PROMPT":                                        "12;;",
		"@A proc=12 PROMPT STOP":                                   ";;",
		"@A proc=12 build> PROMPT STOP":                            "12;;",
		"@A proc=12 PROMPT SESSION_END'other'":                     ";;",
		"@A proc=12 PROMPT Read'a'< proc=13 SESSION_START'resume'": "12;;",
		"@A proc=12 PROMPT STOP (tester&":                          "12;;",
		"@A proc=12 PROMPT @B proc=12 PROMPT @C PROMPT":            "12;;",
		"@A plan>":                  ";;",
		"@A plan> plan.[a.md,b.md]": ";a.md b.md;",
		"@A plan> plan.[a.md] build> build.[b.go] @B /f build.[c.go]": ";f/c.go b.go a.md;",
		"@A plan> plan.[a.md] plan> plan![b.md]":                      ";a.md;",
		"@A tester~test.[a.md]":                                       ";a.md;",
		"@A PROMPT INTERVENTION'T1 loop x'":                           ";;",
		"@A PROMPT INTERVENTION'T1 loop x' DELIVERED'T1'":             ";;T1@A",
		"@A PROMPT INTERVENTION'T1 loop x' DELIVERED'T1' SEEN'T1'":    ";;",
	} {
		s, _ := fold(t, drawing)
		w := s.Wants()
		var procs, outputs, tasks []string
		for _, p := range w.Procs {
			procs = append(procs, fmt.Sprint(p.PID))
		}
		for _, o := range w.Outputs {
			outputs = append(outputs, strings.TrimPrefix(o.Wt+"/"+o.Path, "/"))
		}
		for _, task := range w.Tasks {
			tasks = append(tasks, task.Task+"@"+string(task.Session))
		}
		if got := strings.Join([]string{strings.Join(procs, " "), strings.Join(outputs, " "), strings.Join(tasks, " ")}, ";"); got != want {
			t.Errorf("%s: %s, not %s", drawing, got, want)
		}
	}
}

// What was there when it was logged is asked for only as long as it is the newest.
func TestWantsHashedOutputs(t *testing.T) {
	model := workflow.Default()
	s := New(&model, limits.Default())
	outputs := func() string {
		list := ""
		for _, o := range s.Wants().Outputs {
			list += o.Path + " "
		}
		return list
	}
	one := raw(logfmt.Complete, "", `{"outputs":[{"path":"a.md","sha256":"00"},{"path":"b.md"}]}`)
	one.Cmd = "plan"
	s.Apply(one, false)
	if got := outputs(); got != "a.md b.md " {
		t.Error(got)
	}
	two := *one
	two.Cmd, two.Data = "build", []byte(`{"outputs":[{"path":"c.md","sha256":"00"}]}`)
	s.Apply(&two, false)
	if got := outputs(); got != "c.md b.md " {
		t.Error(got)
	}
}
