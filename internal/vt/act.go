package vt

import "aburn/internal/plain"

// put writes one character where the cursor stands.
func (s *Screen) put(r rune) {
	w := plain.RuneWidth(r)
	if w == 0 {
		return
	}
	if s.wrap && !s.noWrap || w == 2 && s.x == s.cols-1 && !s.noWrap {
		s.x = 0
		s.down()
	}
	s.wrap = false
	s.tear(s.x, w)
	c := s.pen
	c.r = r
	row := s.row(s.y)
	row[s.x] = c
	if w == 2 && s.x+1 < s.cols {
		c.r, c.half = 0, true
		row[s.x+1] = c
	}
	s.last = r
	if s.x += w; s.x >= s.cols {
		s.x, s.wrap = s.cols-1, true
	}
}

// tear blanks the other half of wide characters that are overwritten in part.
func (s *Screen) tear(x, w int) {
	row := s.row(s.y)
	if row[x].half && x > 0 {
		row[x-1].r = 0
	}
	if end := x + w; end < s.cols && row[end].half {
		row[end] = cell{bg: row[end].bg}
	}
}

func (s *Screen) row(y int) []cell { return s.cells[y*s.cols : (y+1)*s.cols] }

// blank is an empty place, of the present background.
func (s *Screen) blank() cell { return cell{bg: s.pen.bg} }

func (s *Screen) clear(row []cell) {
	for i := range row {
		row[i] = s.blank()
	}
}

// down goes to the next line, and scrolls at the end of the region.
func (s *Screen) down() {
	s.wrap = false
	if s.y == s.bottom {
		s.scroll(s.top, s.bottom, 1)
	} else {
		s.y = min(s.y+1, s.rows-1)
	}
}

// scroll moves lines up by n, or down where n is negative.
func (s *Screen) scroll(top, bottom, n int) {
	h := bottom - top + 1
	if h <= 0 {
		return
	}
	area := s.cells[top*s.cols : (bottom+1)*s.cols]
	if n = min(max(n, -h), h); n >= 0 {
		copy(area, area[n*s.cols:])
		s.clear(area[(h-n)*s.cols:])
		return
	}
	copy(area[-n*s.cols:], area)
	s.clear(area[:-n*s.cols])
}

// act carries out a control sequence without a mark.
func (s *Screen) act(final byte, a []int) {
	n := get(a, 0, 1)
	if final != 'm' && final != 'b' && final != 'g' {
		s.wrap = false
	}
	switch final {
	case 'A':
		s.up(n)
	case 'B', 'e':
		s.y = min(s.y+n, s.below())
	case 'C', 'a':
		s.x = min(s.x+n, s.cols-1)
	case 'D':
		s.x = max(0, s.x-n)
	case 'E':
		s.x, s.y = 0, min(s.y+n, s.below())
	case 'F':
		s.x = 0
		s.up(n)
	case 'G', '`':
		s.x = min(n, s.cols) - 1
	case 'd':
		s.to(s.x, n-1)
	case 'H', 'f':
		s.to(get(a, 1, 1)-1, n-1)
	case 'I':
		s.x = min(s.cols-1, (s.x/8+min(n, s.cols))*8)
	case 'Z':
		s.x = max(0, ((s.x+7)/8-min(n, s.cols))*8)
	case 'r':
		s.region(get(a, 0, 1)-1, get(a, 1, s.rows)-1)
	case 's':
		s.saved[s.side()] = cursor{s.x, s.y, s.pen}
	case 'u':
		s.back()
	case 'm':
		s.paint(a)
	case 'b':
		for range min(n, s.cols*s.rows) {
			if s.last != 0 {
				s.put(s.last)
			}
		}
	default:
		s.edit(final, n, a)
	}
}

// edit erases, inserts, deletes and scrolls.
func (s *Screen) edit(final byte, n int, a []int) {
	row := s.row(s.y)
	switch final {
	case 'J':
		switch a[0] {
		case 1:
			s.clear(s.cells[:s.y*s.cols+s.x+1])
		case 2, 3:
			if a[0] == 2 {
				s.clear(s.cells)
			}
		default:
			s.clear(s.cells[s.y*s.cols+s.x:])
		}
	case 'K':
		switch a[0] {
		case 1:
			s.clear(row[:s.x+1])
		case 2:
			s.clear(row)
		default:
			s.clear(row[s.x:])
		}
	case 'L', 'M':
		if s.y < s.top || s.y > s.bottom {
			return
		}
		if final == 'L' {
			n = -n
		}
		s.scroll(s.y, s.bottom, n)
	case 'S':
		s.scroll(s.top, s.bottom, n)
	case 'T':
		s.scroll(s.top, s.bottom, -n)
	case '@':
		n = min(n, s.cols-s.x)
		copy(row[s.x+n:], row[s.x:])
		s.clear(row[s.x : s.x+n])
	case 'P':
		n = min(n, s.cols-s.x)
		copy(row[s.x:], row[s.x+n:])
		s.clear(row[s.cols-n:])
	case 'X':
		s.clear(row[s.x:min(s.x+n, s.cols)])
	}
}

func (s *Screen) up(n int) {
	first := 0
	if s.y >= s.top {
		first = s.top
	}
	s.y = max(first, s.y-n)
}

func (s *Screen) below() int {
	if s.y <= s.bottom {
		return s.bottom
	}
	return s.rows - 1
}

// to moves the cursor; with mode 6, lines count from the region.
func (s *Screen) to(x, y int) {
	first, last := 0, s.rows-1
	if s.modes[6] {
		first, last = s.top, s.bottom
		y += s.top
	}
	s.x, s.y = min(max(x, 0), s.cols-1), min(max(y, first), last)
}

func (s *Screen) region(top, bottom int) {
	if bottom = min(bottom, s.rows-1); top >= bottom {
		return
	}
	s.top, s.bottom = top, bottom
	s.to(0, 0)
}

// paint is SGR.
func (s *Screen) paint(a []int) {
	for i := 0; i < len(a); i++ {
		switch n := max(a[i], 0); {
		case n == 0:
			s.pen = cell{}
		case n <= 9:
			s.pen.attrs |= 1 << n
		case n == 21 || n == 22:
			s.pen.attrs &^= 1<<1 | 1<<2
		case n >= 23 && n <= 29:
			s.pen.attrs &^= 1 << (n - 20)
			if n == 25 {
				s.pen.attrs &^= 1 << 6
			}
		case n >= 30 && n <= 37:
			s.pen.fg = int32(n - 30 + 1)
		case n >= 40 && n <= 47:
			s.pen.bg = int32(n - 40 + 1)
		case n >= 90 && n <= 97:
			s.pen.fg = int32(n - 90 + 8 + 1)
		case n >= 100 && n <= 107:
			s.pen.bg = int32(n - 100 + 8 + 1)
		case n == 39:
			s.pen.fg = 0
		case n == 49:
			s.pen.bg = 0
		case n == 38 || n == 48:
			c, used := extended(a[i+1:])
			if i += used; n == 38 {
				s.pen.fg = c
			} else {
				s.pen.bg = c
			}
		}
	}
}

// extended is a colour of the palette or of three parts, and how many numbers it took.
func extended(a []int) (c int32, used int) {
	switch {
	case len(a) >= 2 && a[0] == 5:
		return int32(min(max(a[1], 0), 255)) + 1, 2
	case len(a) >= 5 && a[0] == 2 && a[1] < 0: // 38:2::r:g:b names no space of colours
		c, used = extended(append([]int{2}, a[2:5]...))
		return c, used + 1
	case len(a) >= 4 && a[0] == 2:
		for _, part := range a[1:4] {
			c = c<<8 | int32(min(max(part, 0), 255))
		}
		return c | rgb, 4
	}
	return 0, len(a)
}
