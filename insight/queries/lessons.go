package queries

import (
	"context"

	"aburn/archive/lookup"
	"aburn/insight/lesson"
	"aburn/internal/fault"
)

// LessonLimit is the default of --limit.
const LessonLimit = 20

// LessonsQuery asks for lessons.
type LessonsQuery struct {
	lookup.Choice
	Limit int // 0 for all
}

// LessonsAnswer is what recurs in the chosen sessions.
type LessonsAnswer struct {
	*lesson.Lessons
	None     bool // no session was chosen
	Archived int  // sessions in the archive; counted only if None
}

// LessonsOf answers a query.
func LessonsOf(ctx context.Context, c *lookup.Caller, q LessonsQuery) (*LessonsAnswer, error) {
	if q.Limit < 0 {
		return nil, fault.Usage("--limit: must not be negative")
	}
	arch, f, err := lookup.ViewChosen(ctx, c.Caller, q.Choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.Digests(ctx, f)
	if err != nil {
		return nil, err
	}
	answer := &LessonsAnswer{Lessons: lesson.Find(lookup.DigestsOnly(all), c.Now, q.Limit), None: len(all) == 0}
	if answer.None {
		answer.Archived, err = lookup.CountArchived(ctx, arch)
	}
	return answer, err
}

// NothingRecurs is the note about sessions without a lesson.
func (a *LessonsAnswer) NothingRecurs() string {
	return "no two of " + a.Units() + " went wrong in the same way"
}
