// Runs before the page is painted, so that a dark page never flashes white. The cookie says which theme this browser
// shows; without one the account says it, as far as the page knows its reader; otherwise the theme is the browser's.
const { dataset } = document.documentElement
const cookie = /(?:^|;\s*)theme=(light|dark|contrast)(?:;|$)/.exec(document.cookie)?.[1]
if (cookie !== undefined) dataset.theme = cookie
const follows = dataset.theme !== "light" && dataset.theme !== "dark"
if (follows) dataset.scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
else dataset.scheme = dataset.theme
// Styles leave out what a script replaces.
document.documentElement.classList.add("js")
