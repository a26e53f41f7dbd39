package state

import (
	"bytes"
	"testing"

	"aburn/internal/lab/scenario"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// FuzzLoad: whatever the file holds, Load does not panic, and what it takes is a
// State that folds on and is written as it was read.
func FuzzLoad(f *testing.F) {
	model := workflow.Default()
	for seed := range uint64(4) {
		f.Add(foldAll(scenario.Random(seed, 150)).AppendJSON(nil))
	}
	f.Add(New(&model, limits.Default()).AppendJSON(nil))
	rest := scenario.Random(99, 60)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Load(data, &model, limits.Default())
		if err != nil {
			return
		}
		stored := s.AppendJSON(nil)
		again, err := Load(stored, &model, limits.Default())
		if err != nil || !bytes.Equal(again.AppendJSON(nil), stored) {
			t.Fatalf("%v: read\n%s\nwritten\n%s", err, data, stored)
		}
		for _, it := range rest {
			s.Apply(it.Entry, it.Carried)
		}
		for _, v := range s.Sessions {
			v.Mode(rest[0].Entry.Time, Observed{})
			v.ClockAt(rest[0].Entry.Time)
		}
		s.Wants()
	})
}

// FuzzApplyLine: no line of a log does any harm.
func FuzzApplyLine(f *testing.F) {
	for _, it := range scenario.Random(5, 40) {
		line, err := it.Entry.AppendJSON(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line, it.Carried)
	}
	f.Fuzz(func(t *testing.T, line []byte, carried bool) {
		model := workflow.Default()
		s := New(&model, limits.Default())
		for _, it := range scenario.Random(3, 20) {
			s.Apply(it.Entry, it.Carried)
		}
		s.ApplyLine(line, carried)
		if _, err := Load(s.AppendJSON(nil), &model, limits.Default()); err != nil {
			t.Fatalf("%s makes a State that cannot be loaded", line)
		}
	})
}
