package lookup

import (
	"context"
	"slices"

	"aburn/archive"
	"aburn/insight"
)

// JudgeNewest judges the newest sessions with this outcome (any if it is empty), all if limit is 0. total counts those
// beyond the limit, too.
func (c *Caller) JudgeNewest(ctx context.Context, all []archive.Session, outcome insight.Outcome, limit int) (list []Judged, total int,
	err error) {
	total = len(all)
	if outcome == "" && limit > 0 {
		all = all[:min(limit, total)]
	}
	if list, err = c.Judge(ctx, all); err != nil || outcome == "" {
		return list, total, err
	}
	list = slices.DeleteFunc(list, func(s Judged) bool { return s.Outcome != outcome })
	if total = len(list); limit > 0 {
		list = list[:min(limit, total)]
	}
	return list, total, nil
}
