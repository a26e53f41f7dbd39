package pages

// Head is the head of a column. Href sorts the table by it; "" if the column has no order.
type Head struct {
	Text, Class, Href string
	Order             string // ascending or descending if the table is sorted by it
	Bars              bool   // the column has bars, which have no words
}

// Rows is a table of sessions.
type Rows struct {
	Heads []Head
	List  []Row
}
