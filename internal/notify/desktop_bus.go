//go:build unix && !darwin

package notify

import (
	"context"
	"errors"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// errNoDesktop says that no desktop session can show a notice.
var errNoDesktop = errors.New("no desktop session here: neither DBUS_SESSION_BUS_ADDRESS nor $XDG_RUNTIME_DIR/bus names a bus")

// The service of every desktop,
// https://specifications.freedesktop.org/notification-spec/1.3/protocol.html
const (
	busName  = "org.freedesktop.Notifications"
	busPath  = "/org/freedesktop/Notifications"
	maxShown = 4 // notices shown at once
)

// desktop shows notices through the desktop's own service. Each batch opens a new connection,
// because the watcher outlives desktop sessions.
func (n *Notifier) desktop(ctx context.Context, batch []Notice) error {
	ctx, cancel := context.WithTimeout(ctx, n.options.Timeout)
	defer cancel()
	address := n.busAddress()
	if address == "" {
		return errNoDesktop
	}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return inTime(ctx, err)
	}
	defer conn.Close()
	service := conn.Object(busName, busPath)
	var can []string
	if err := service.CallWithContext(ctx, busName+".GetCapabilities", 0).Store(&can); err != nil {
		return inTime(ctx, err)
	}
	markup := slices.Contains(can, "body-markup")
	for _, notice := range condense(batch, maxShown) {
		if err := show(ctx, service, notice, markup); err != nil {
			return inTime(ctx, err)
		}
	}
	return nil
}

// show shows one notice. If the service reads markup, the text is escaped.
func show(ctx context.Context, service dbus.BusObject, notice Notice, markup bool) error {
	text, urgency := notice.Text, byte(1)
	if markup {
		text = html.EscapeString(text)
	}
	if notice.Urgent {
		urgency = 2
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency)}
	return service.CallWithContext(ctx, busName+".Notify", 0,
		"aburn", uint32(0), "dialog-warning", notice.Title, text, []string{}, hints, int32(-1)).Err
}

// inTime replaces the library's report of a closed connection by the reason.
func inTime(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errors.New("the desktop did not answer in time")
	}
	return err
}

// busAddress is the address of the session's bus, or "". Only sockets count: the other transports
// start programs or use the network.
func (n *Notifier) busAddress() string {
	if n.options.Env == nil {
		return ""
	}
	var sockets []string
	for part := range strings.SplitSeq(n.options.Env("DBUS_SESSION_BUS_ADDRESS"), ";") {
		if strings.HasPrefix(part, "unix:") {
			sockets = append(sockets, part)
		}
	}
	if len(sockets) > 0 {
		return strings.Join(sockets, ";")
	}
	bus := filepath.Join(n.options.Env("XDG_RUNTIME_DIR"), "bus")
	if st, err := os.Stat(bus); err != nil || !filepath.IsAbs(bus) || st.Mode()&os.ModeSocket == 0 {
		return ""
	}
	return "unix:path=" + dbus.EscapeBusAddressValue(bus)
}
