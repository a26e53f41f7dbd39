package site

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"aburn/web/pages"
)

// themeCookie holds the theme that the reader chose. Without it pages look as the reader's system does.
const themeCookie = "aburn-theme"

// themesOf are the theme of a request's reader, and the links on its page that choose another one.
func themesOf(r *http.Request) (theme string, links []pages.Link) {
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "dark" || c.Value == "light") {
		theme = c.Value
	}
	for _, to := range []string{"system", "light", "dark"} {
		links = append(links, pages.Link{Text: to, Current: to == theme || to == "system" && theme == "",
			Href: "/theme?" + url.Values{"to": {to}, "back": {r.URL.RequestURI()}}.Encode()})
	}
	return theme, links
}

// setTheme keeps a theme in a cookie, and leads back to a page of this server: nobody else's address is followed.
func setTheme(w http.ResponseWriter, r *http.Request) {
	to, back := r.URL.Query().Get("to"), r.URL.Query().Get("back")
	if at, err := url.Parse(back); err != nil || at.Host != "" || at.Scheme != "" || !strings.HasPrefix(back, "/") || strings.ContainsAny(back, "\\") ||
		strings.HasPrefix(back, "//") {
		back = "/"
	}
	c := &http.Cookie{Name: themeCookie, Value: to, Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if to != "light" && to != "dark" {
		c.Value, c.MaxAge = "", -1
	}
	http.SetCookie(w, c)
	http.Redirect(w, r, back, http.StatusSeeOther)
}
