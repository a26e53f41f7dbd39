package opencode

import (
	"aburn/trace"
	"aburn/trace/draft"
)

// outcome is how the session ended, as its last turn states it, and what states it. How a turn ended that was copied is the
// other session's, and a turn that was taken back is not the last one.
func (s *story) outcome() (trace.Outcome, string) {
	var asked, answer *message
	for _, m := range s.messages {
		switch {
		case m.gone || m.copied || m.ran || m.role == "user" && m.announcesRun():
		case m.role == "user":
			if len(m.parts) > 0 {
				asked = m
			}
		default:
			answer = m
		}
	}
	switch {
	case asked == nil && answer == nil:
		return trace.Unknown, ""
	case answer == nil || asked != nil && asked.pos > answer.pos:
		return trace.Killed, "the last prompt has no answer"
	}
	return answer.outcome()
}

// outcome is how the turn ended whose last answer this is.
func (m *message) outcome() (trace.Outcome, string) {
	switch {
	case m.aborted():
		return trace.Interrupted, "message.error " + draft.Word(m.err.name)
	case m.err != nil:
		return trace.Errored, "message.error " + draft.Word(m.err.name)
	case m.open() && m.hit() != "":
		return trace.Killed, "the source stops inside a call, which has no end"
	case m.open():
		return trace.Killed, "the source stops inside an answer, which has no end"
	case m.rejected() != nil:
		return trace.Interrupted, "the turn ends with a call that the user refused"
	case m.empty():
		return trace.Interrupted, "the last answer was closed without content, finish or error"
	case m.wantsTools():
		return trace.Killed, "the source stops behind the results of calls, before an answer"
	case m.stop() != "":
		return trace.Completed, "message.finish " + draft.Word(m.stop())
	}
	return trace.Unknown, ""
}
