package journal

// Newest is the beginning of the newest segment. Read from there, what a rotation
// carried into it comes too, marked: nothing before it was read. A segment without
// a whole block of carried lines although older ones exist (its rotator was killed)
// counts together with the one before. It is the zero Position when there is no log.
func (j *Journal) Newest() (Position, error) {
	b := backward{j: j}
	f, err := b.newest()
	for f != nil && err == nil {
		at := Position{Segment: f.name, Dev: f.dev, Ino: f.ino}
		var older *segmentFile
		if !blockOf(f).closed {
			older, err = b.before(f)
		}
		f.Close()
		if older == nil {
			return at, err
		}
		f = older
	}
	return Position{}, err
}

// Left is how many bytes of the log lie behind a position.
func (j *Journal) Left(p Position) int64 {
	all, err := j.Segments()
	if err != nil {
		return 0
	}
	var left int64
	for i := len(all) - 1; i >= 0; i-- {
		left += all[i].Size
		if p.in(all[i]) {
			left -= p.Offset
			break
		}
	}
	return left
}
