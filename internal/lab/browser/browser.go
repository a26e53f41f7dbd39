// Package browser drives a headless Chromium in the tests of pages that aburn writes. Only tests import it.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Browser is a Chromium, driven over the two pipes of its debugging protocol: JSON messages that end in a zero byte.
type Browser struct {
	t       *testing.T
	out     *os.File
	in      *bufio.Reader
	id      int
	session string
	said    []string // console errors, exceptions and violations of the policy
}

// Start starts a headless Chromium. Without one, and with -short, the test is skipped.
func Start(t *testing.T) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a while to start")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium on the PATH: nothing here runs the page's script")
	}
	theirIn, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "--window-size=1280,900", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &Browser{t: t, out: out, in: bufio.NewReaderSize(in, 1<<20)}
	timeout := time.AfterFunc(15*time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		fmt.Fprintf(out, `{"id":999999,"method":"Browser.close"}%c`, 0)
		out.Close()
		cmd.Wait()
		in.Close()
		timeout.Stop()
	})
	return b
}

// call is try for a command that may not fail.
func (b *Browser) call(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	result, err := b.try(method, params)
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// try sends a command and returns its result. It keeps the page's messages in between.
func (b *Browser) try(method string, params map[string]any) (json.RawMessage, error) {
	b.t.Helper()
	b.id++
	message, err := json.Marshal(map[string]any{"id": b.id, "method": method, "params": params, "sessionId": b.session})
	if err != nil {
		b.t.Fatal(err)
	}
	if b.session == "" {
		message = bytes.Replace(message, []byte(`,"sessionId":""`), nil, 1)
	}
	if _, err := b.out.Write(append(message, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		line, err := b.in.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: the browser ended: %v", method, err)
		}
		var answer struct {
			ID        int
			Method    string
			SessionID string
			Params    json.RawMessage
			Result    json.RawMessage
			Error     *struct{ Message string }
		}
		if err := json.Unmarshal(bytes.TrimRight(line, "\x00"), &answer); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case answer.Method != "" && answer.SessionID != b.session: // of another tab
		case answer.Method == "Runtime.exceptionThrown", answer.Method == "Log.entryAdded", answer.Method == "Runtime.consoleAPICalled":
			b.said = append(b.said, string(answer.Params))
		case answer.ID == b.id && answer.Error != nil:
			return nil, errors.New(answer.Error.Message)
		case answer.ID == b.id:
			return answer.Result, nil
		}
	}
}

// Open shows a page in a new tab and waits for its script.
func (b *Browser) Open(url string) {
	b.t.Helper()
	var target struct{ TargetID string }
	b.session, b.said = "", nil
	json.Unmarshal(b.call("Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	var attached struct{ SessionID string }
	json.Unmarshal(b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Runtime", "Log", "Page"} {
		b.call(domain+".enable", nil)
	}
	b.call("Page.navigate", map[string]any{"url": url})
	b.Until(`String(document.readyState === 'complete' && location.href !== 'about:blank')`, "true") // the blank page may just be left
}

// Go shows a page in the tab that is open: a new one costs a process of the browser.
func (b *Browser) Go(url string) {
	b.t.Helper()
	b.Value(`window.left = true`)
	b.said = nil
	b.call("Page.navigate", map[string]any{"url": url})
	b.Until(`String(document.readyState === 'complete' && !window.left)`, "true")
}

// Value evaluates an expression in the page's script.
func (b *Browser) Value(expression string) string {
	b.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	if err := json.Unmarshal(b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}), &r); err != nil ||
		r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %v %s", expression, err, r.ExceptionDetails)
	}
	return fmt.Sprint(r.Result.Value)
}

// Until waits until an expression has a value.
func (b *Browser) Until(expression, want string) {
	b.t.Helper()
	got := ""
	for range 4800 {
		// A page that is just being left gives an error.
		if text, err := b.try("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}); err == nil {
			var r struct{ Result struct{ Value any } }
			json.Unmarshal(text, &r)
			if got = fmt.Sprint(r.Result.Value); got == want {
				return
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("%s is %s, never %s", expression, got, want)
}

// Press types keys, by their names.
func (b *Browser) Press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		params := map[string]any{"type": "keyDown", "key": key}
		if len(key) == 1 {
			params["text"] = key
		}
		b.call("Input.dispatchKeyEvent", params)
		params["type"] = "keyUp"
		delete(params, "text")
		b.call("Input.dispatchKeyEvent", params)
	}
}

// Type types a text as a keyboard does; a carriage return is the Enter key.
func (b *Browser) Type(text string) {
	b.t.Helper()
	for _, r := range text {
		params := map[string]any{"type": "keyDown", "key": string(r), "text": string(r)}
		if r == '\r' {
			params["key"], params["code"], params["windowsVirtualKeyCode"] = "Enter", "Enter", 13
		}
		b.call("Input.dispatchKeyEvent", params)
		params["type"] = "keyUp"
		delete(params, "text")
		b.call("Input.dispatchKeyEvent", params)
	}
}

// Quiet fails the test if the page reported an error.
func (b *Browser) Quiet() {
	b.t.Helper()
	if len(b.said) > 0 {
		b.t.Errorf("the browser says\n%s", strings.Join(b.said, "\n"))
	}
}

// Resize makes the open page so wide and high, in pixels.
func (b *Browser) Resize(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
}

// Prefer sets the user's colour scheme: light or dark.
func (b *Browser) Prefer(scheme string) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// Screenshot writes a picture of the whole page.
func (b *Browser) Screenshot(path string) {
	b.t.Helper()
	var r struct{ Data []byte }
	var width, height float64
	// Beyond the viewport there is no bar to scroll with: the page is as wide as the window then, and not as its content was.
	if _, err := fmt.Sscan(b.Value(`innerWidth + ' ' + document.documentElement.scrollHeight`), &width, &height); err != nil {
		b.t.Fatal(err)
	}
	clip := map[string]any{"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
	if err := json.Unmarshal(b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": clip}), &r); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, r.Data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
