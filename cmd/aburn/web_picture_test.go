package main

import (
	"bufio"
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/browser"
)

// mostPicture bounds the README's picture, in bytes: who clones the repository has it for ever.
const mostPicture = 150 << 10

// TestWebDemoPicture makes the picture in the README, from the demo that everybody can start:
//
//	go test ./cmd/aburn -run TestWebDemoPicture -keep "$PWD/docs"
func TestWebDemoPicture(t *testing.T) {
	if !browser.Keeping() {
		t.Skip("without -keep nobody looks at it")
	}
	b := browser.Start(t)
	cmd := newWebWorld(t, 0).command("aburn", "web", "--demo", "--print", "--port", "47800")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(os.Interrupt)
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	b.Open(strings.TrimSpace(link))
	b.Prefer("light")
	b.Resize(1100, 900)
	b.Until(`String(document.querySelectorAll('.card').length > 1 && document.body.textContent.includes('ALTER TABLE cart_items') && `+
		`document.body.textContent.includes('list the prices') && !document.body.textContent.includes('no archive'))`, "true")
	b.Until(`String(innerWidth)`, "1100")
	path := filepath.Join(browser.Folder(t), "web.png")
	b.Screenshot(path)
	if err := compress(path); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Size() > mostPicture {
		t.Errorf("%v, %v", st, err)
	}
}

// compress writes the upper part of a picture, as small as it gets without a loss.
func compress(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if p, ok := picture.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok {
		picture = p.SubImage(image.Rect(0, 0, picture.Bounds().Dx(), 760))
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, picture); err != nil {
		return err
	}
	return os.WriteFile(path, small.Bytes(), 0o644)
}

// The README's picture is there, and small.
func TestPictureIsSmall(t *testing.T) {
	if st, err := os.Stat("../../docs/web.png"); err != nil || st.Size() > mostPicture || st.Size() < 5<<10 {
		t.Errorf("%+v, %v", st, err)
	}
}
