package queue

// Compose makes one text for an agent out of claimed tasks, of at most max bytes (MaxText if 0): the first ones whole and
// in their order, the rest counted. used are those that the text holds; left is how many are not.
func Compose(tasks []Task, max int) (text string, used []Task, left int) { return "", nil, len(tasks) }
