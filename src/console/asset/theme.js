// Runs before the page is painted, so that a dark page never flashes white. The server knows the theme only from the
// cookie; without one the theme is the browser's.
if (!/(?:^|;\s*)theme=/.test(document.cookie) && matchMedia("(prefers-color-scheme: dark)").matches) {
  document.documentElement.dataset.bsTheme = "dark"
}
