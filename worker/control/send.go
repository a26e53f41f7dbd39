package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"aburn/worker/headless"
	"aburn/worker/slot"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/manager"
	"aburn/worker/ssh"
)

// CheckMessage is a message as it is sent, or why it cannot be.
func CheckMessage(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case text == "":
		return "", fault.Usage("there is no text")
	case len(text) > manager.MaxMessage:
		return "", fault.Usage(fmt.Sprintf("the text is longer than %d bytes", manager.MaxMessage), "put it into a file, and name that in the message")
	case !utf8.ValidString(text):
		return "", fault.Usage("the text is not UTF-8")
	}
	for _, r := range text {
		if plain.Control(r) && r != '\n' && r != '\t' {
			return "", fault.Usage(fmt.Sprintf("the text has the control character %U", r), "take it out: the agent would read what you do not see")
		}
	}
	return text, nil
}

// SendRemote has the aburn there deliver a message.
func SendRemote(ctx context.Context, c *manager.Manager, m *manager.Member, msg manager.Message, options manager.SendOptions) manager.Sent {
	sent := manager.Sent{Worker: m.Name, State: manager.Declined}
	if msg.From != "" {
		sent.Why = "an agent sends to no other machine"
		return sent
	}
	args := []string{"send", "--json", "--wait", max(options.Wait, time.Millisecond).String()}
	if options.NoKeys {
		args = append(args, "--after-turn")
	}
	if options.Type {
		args = append(args, "--type")
	}
	r, err := manager.RunRemote(ctx, c, m, msg.Text, append(args, m.Name, "-")...)
	var list []manager.Sent
	if json.Unmarshal(r.Stdout, &list) == nil && len(list) == 1 {
		return list[0]
	}
	if errors.Is(err, ssh.ErrLost) {
		sent.State = manager.Unconfirmed
	}
	if sent.Why = "its machine says nothing of it"; err != nil {
		sent.Why = err.Error()
	}
	return sent
}

// answerTime is how long an agent may take to say that it has an answer.
const answerTime = 30 * time.Second

// Answer answers the question of an id; an empty id means the only one.
func Answer(ctx context.Context, ch headless.Channel, h slot.Handle, id string, allow bool, text string) (slot.Question, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return ch.Answer(ctx, h, id, allow, text)
}
