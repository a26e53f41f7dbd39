package pages

import "strconv"

// Plot is bars over time, each stacked from parts.
type Plot struct {
	ID     string
	Label  string
	Marks  []string // of the vertical axis, from the top
	Bars   []Bar
	Ends   []string // along the horizontal axis
	Legend []Part
}

// Bar is what stands over one moment. Says is all of it in words.
type Bar struct {
	Says  string
	Href  string
	Parts []Part
	X, W  float64
}

// Part is a part of a bar. H and Y are in units of the plot's height.
type Part struct {
	Class, Name string
	Value       float64
	Y, H        float64
}

// The size of a plot in its own units. It is stretched to the page's width.
const (
	PlotWidth  = 1000
	PlotHeight = 190
)

// Lay places the bars. The highest one is high, of which the axis has at most all.
func (p *Plot) Lay(high float64) *Plot {
	if high <= 0 {
		high = 1
	}
	wide := PlotWidth / float64(max(len(p.Bars), 1))
	for i := range p.Bars {
		b := &p.Bars[i]
		b.X, b.W = float64(i)*wide, wide
		y := float64(PlotHeight)
		for k := range b.Parts {
			part := &b.Parts[k]
			part.H = part.Value / high * PlotHeight
			if part.Value > 0 && part.H < 1.5 {
				part.H = 1.5 // what is there is seen
			}
			y -= part.H
			part.Y = y
		}
	}
	return p
}

// Inner is where the drawn bar stands within its ground.
func (b Bar) Inner() string { return round(b.X + b.W*0.14) }

// InnerWidth is how wide the drawn bar is.
func (b Bar) InnerWidth() string { return round(b.W * 0.72) }

// Left and Width are the ground's.
func (b Bar) Left() string { return round(b.X) }

// Width is the ground's.
func (b Bar) Width() string { return round(b.W) }

// Top is the part's upper end.
func (p Part) Top() string { return round(p.Y) }

// High is the part's height, with a gap to the part below.
func (p Part) High() string { return round(max(p.H-1, 0.5)) }

func round(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// Lanes is a session's calls over its working time. Pauses are cut short, so that it always fits.
type Lanes struct {
	Label string
	Spans []Span
	Lines []string // where prompts stand
	Ends  []string
	Kinds []Part // the legend
}

// Span is a call. Lane counts from the top.
type Span struct {
	X, W  float64
	Lane  int
	Class string
}

// LanesHeight is the height of all lanes.
const LanesHeight = 64

func (s Span) Left() string  { return round(s.X) }
func (s Span) Width() string { return round(max(s.W, 2)) }

// Top is the lane's upper end.
func (s Span) Top() int { return 4 + 15*s.Lane }
