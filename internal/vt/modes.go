package vt

import "strconv"

// private carries out a sequence with a question mark: modes, questions, and what terminals added.
func (s *Screen) private(final byte, a []int) (keep bool) {
	switch final {
	case 'h', 'l':
		for _, m := range a {
			s.mode(m, final == 'h')
		}
		return false
	case 'n':
		if a[0] == 6 {
			s.answer("\x1b[?" + strconv.Itoa(s.y+1) + ";" + strconv.Itoa(s.x+1) + "R")
		}
		return true
	case 'J', 'K':
		s.act(final, a)
		return false
	}
	return final == 'u' || final == 'c' || final == 'm'
}

func (s *Screen) mode(m int, on bool) {
	switch m {
	case 7:
		s.noWrap = !on
	case 25:
		s.set(-25, !on)
	case 1048:
		if on {
			s.saved[s.side()] = cursor{s.x, s.y, s.pen}
		} else {
			s.back()
		}
	case 47, 1047, 1049:
		s.alternate(m, on)
	default:
		s.set(m, on)
	}
}

func (s *Screen) set(m int, on bool) {
	if !on {
		delete(s.modes, m)
	} else if len(s.modes) < 64 {
		s.modes[m] = true
	}
}

func (s *Screen) alternate(m int, on bool) {
	if on == s.modes[1049] {
		return
	}
	if on && m == 1049 {
		s.saved[0] = cursor{s.x, s.y, s.pen}
	}
	if on {
		s.alt = make([]cell, s.cols*s.rows)
		s.cells = s.alt
	} else {
		s.cells, s.alt = s.main, nil
	}
	s.top, s.bottom, s.wrap = 0, s.rows-1, false
	if on {
		s.modes[1049] = true
		return
	}
	delete(s.modes, 1049)
	if m == 1049 {
		s.back()
	}
}
