package insight

import "slices"

// Renumber replaces every number of an event in d by what number gives for it. Package digests does so for a joined trace, so
// that the numbers are those of the trace that the archive has.
func (d *Digest) Renumber(number func(seq int) int) {
	at := func(seqs ...*int) {
		for _, seq := range seqs {
			if *seq != 0 {
				*seq = number(*seq)
			}
		}
	}
	at(&d.AskEvent)
	for i := range d.Verdict.Events {
		at(&d.Verdict.Events[i])
	}
	d.Verdict.Events = slices.Compact(d.Verdict.Events)
	for i := range d.Errors {
		at(&d.Errors[i].First, &d.Errors[i].Last, &d.Errors[i].Solved)
	}
	for i := range d.Slow {
		at(&d.Slow[i].Event)
	}
	for i := range d.Loops {
		at(&d.Loops[i].First, &d.Loops[i].Last)
	}
	for i := range d.Changes {
		at(&d.Changes[i].Event)
	}
	for i := range d.Phases {
		at(&d.Phases[i].First, &d.Phases[i].Last)
	}
}
