// Every page works without this script. It adds the theme switch and the keys.
const root = document.documentElement

document.querySelector("[data-theme-toggle]")?.addEventListener("click", () => {
  const theme = root.dataset.bsTheme === "dark" ? "light" : "dark"
  root.dataset.bsTheme = theme
  document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`
})

// A menu closes when the focus or a click leaves it.
for (const event of ["click", "focusin"]) {
  document.addEventListener(event, ({ target }) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.open = false
  })
}

const rows = () => [...document.querySelectorAll("#objects tbody tr")]
const rowLink = (row) => row?.querySelector("th a, td a")

const move = (by) => {
  const all = rows()
  const at = all.findIndex((row) => row.contains(document.activeElement))
  rowLink(all[Math.min(Math.max(at + by, 0), all.length - 1)])?.focus()
}

const keys = {
  "/": () => document.getElementById("search")?.focus(),
  j: () => move(1),
  k: () => move(-1)
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false
      menu.querySelector("summary").focus()
    }
  }
  if (event.target.closest("input, textarea, select")) return
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
})
