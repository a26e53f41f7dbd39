package status

import (
	"context"
	"fmt"
	"strings"

	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
)

// Verdict is what is wrong with the work of one session.
type Verdict struct {
	Session    logfmt.SessionID `json:"-"`
	Type       supervisor.Type  `json:"type"`
	Confidence float64          `json:"confidence"`
	Says       string           `json:"says"`
	Evidence   []logfmt.Seq     `json:"evidence"`
	Signature  string           `json:"signature"`
	Level      supervisor.Level `json:"level"`
}

// Word is the verdict for a column.
func (v *Verdict) Word() string { return IssueWord(v.Type, v.Confidence) }

// Standstill reports whether the verdict says that the work makes no progress.
func (v *Verdict) Standstill() bool {
	switch v.Type {
	case limits.Loop, limits.PhaseStuck:
		return v.Level == supervisor.Queue
	case limits.Silence:
		return v.Level != supervisor.Notify
	}
	return false
}

// Verdicts are those of all sessions of the project around the caller, without waits, which are no fault of the work. With queue
// the advice that is sure enough goes into the queue, as `aburn supervisor` does it. A project without the mark has none.
func Verdicts(ctx context.Context, c *workspace.Caller, queue bool) (list []Verdict, err error) {
	w, err := workspace.Open(c)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if !w.Marked {
		return nil, nil
	}
	v, err := LookAt(ctx, c, w, LookMode{At: c.Now, Peek: !queue})
	if err != nil {
		return nil, err
	}
	for i := range v.Issues {
		is := &v.Issues[i]
		if is.Session == "" || is.Type == limits.PermissionWait || is.Type == limits.QuestionWait {
			continue
		}
		list = append(list, Verdict{is.Session, is.Type, is.Confidence, is.Says, entrySeqs(is.Evidence), is.Signature, supervisor.LevelOf(is, v.Limits)})
	}
	return list, nil
}

// IssueWord is an issue's type with its confidence, for a column.
func IssueWord(t supervisor.Type, confidence float64) string {
	word := strings.ReplaceAll(string(t), "_", " ")
	switch t {
	case limits.AbruptStop:
		word = "crashed"
	case limits.EditChurn:
		word = "edits back and forth"
	case limits.ToolFailureRun:
		word = "failing calls"
	case limits.IncompleteOutput:
		word = "missing output"
	}
	return word + fmt.Sprintf(" %.0f %%", min(99, confidence*100))
}
