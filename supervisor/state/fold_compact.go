package state

import "slices"

// Compaction is what a session did itself after one of its compactions, until the next.
type Compaction struct {
	Mark
	Looks []uint32 // keys of its first reads, searches and commands that ended well; at most maxLooks
	Edits int      // that changed a file
}

// compacted notes a compaction that is over. What the agent read before, it may read again.
func (x *step) compacted() {
	if x.agent == nil && string(x.d.Stage) == "after" {
		x.beginEpoch()
		x.ses.Compactions = push(x.ses.Compactions, Compaction{Mark: x.at}, maxCompactions)
	}
}

// noteLook notes a call that ended after a compaction.
func (x *step) noteLook(did *Did) {
	if len(x.ses.Compactions) == 0 || x.agent != nil || did.Failed || did.Denied || did.Unsure {
		return
	}
	c := &x.ses.Compactions[len(x.ses.Compactions)-1]
	switch {
	case did.Edit:
		c.Edits++
	case did.Key != 0 && len(c.Looks) < maxLooks && !slices.Contains(c.Looks, did.Key):
		c.Looks = append(c.Looks, did.Key)
	}
}
