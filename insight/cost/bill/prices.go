// Package bill prices archived answers: which prices count, what a session was billed, and how an amount is said.
package bill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"aburn/insight/cost"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/workspace"
)

// maxPriceFile bounds a price file, in bytes.
const maxPriceFile = 8 << 20

// PriceFile is where the user's own prices are; "" without a home.
func PriceFile(env func(string) string) string {
	dir := project.ConfigDir(env)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "prices.json")
}

// PricesOf is the table that counts: the shipped one, above it the user's own, above that a file that the command names. A
// broken file of the user's own is left out with a warning; a broken file that the command names is an error.
func PricesOf(c *workspace.Caller, named string) (*cost.Prices, error) {
	prices := cost.Shipped()
	if path := PriceFile(c.Env); path != "" {
		own, err := ReadPrices(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			c.Warn("your own prices do not count: "+err.Error(), "mend the file, or remove it")
		default:
			prices = prices.With(own)
		}
	}
	if named == "" {
		return prices, nil
	}
	dir, err := c.Folder()
	if err != nil {
		return nil, err
	}
	own, err := ReadPrices(workspace.InFolder(dir, named))
	if err != nil {
		return nil, fault.Usage("--prices: "+err.Error(), "docs/formats/prices.md describes the file")
	}
	return prices.With(own), nil
}

// ReadPrices reads a price file.
func ReadPrices(path string) (*cost.Prices, error) {
	text, err := PriceText(path)
	if err != nil {
		return nil, err
	}
	prices, err := cost.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return prices, nil
}

// PriceText reads a price file that is no larger than it may be.
func PriceText(path string) ([]byte, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New(path + " is no file")
	case st.Size() > maxPriceFile:
		return nil, fmt.Errorf("%s is larger than %d MB", path, maxPriceFile>>20)
	}
	return os.ReadFile(path)
}
