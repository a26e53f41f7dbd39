package notify

import "context"

// maxShown is the most notices shown at once.
const maxShown = 4

// bubble shows its two arguments. As arguments they are plain text, whatever they contain.
const bubble = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`

// desktop shows bubbles through AppleScript, which needs no application bundle.
func (n *Notifier) desktop(ctx context.Context, batch []Notice) error {
	for _, notice := range condense(batch, maxShown) {
		if err := n.start(ctx, []string{"/usr/bin/osascript", "-e", bubble, notice.Title, notice.Text}, nil); err != nil {
			return err
		}
	}
	return nil
}
