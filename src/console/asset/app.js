// Every page works without this script. It adds the theme switch and the keys.
const root = document.documentElement

document.querySelector("[data-theme-toggle]")?.addEventListener("click", () => {
  const theme = root.dataset.bsTheme === "dark" ? "light" : "dark"
  root.dataset.bsTheme = theme
  root.dataset.theme = theme
  document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`
})

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false
  button.addEventListener("click", async () => {
    const input = document.getElementById(button.dataset.copy)
    input.select()
    // Without TLS a browser has no clipboard of its own.
    if (navigator.clipboard === undefined) document.execCommand("copy")
    else await navigator.clipboard.writeText(input.value)
    button.lastChild.textContent = "Copied"
  })
}

// A menu closes when the focus or a click leaves it.
for (const event of ["click", "focusin"]) {
  document.addEventListener(event, ({ target }) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.open = false
  })
}

const rows = () => [...document.querySelectorAll("#objects tbody tr")]
const rowLink = (row) => row?.querySelector("th a, td a")
const focusedRow = () => rows().find((row) => row.contains(document.activeElement))

const move = (by) => {
  const all = rows()
  const at = all.indexOf(focusedRow())
  rowLink(all[Math.min(Math.max(at + by, 0), all.length - 1)])?.focus()
}

const select = () => {
  const box = focusedRow()?.querySelector("input[type=checkbox]")
  if (box) box.click()
}

const edit = () => {
  const link = rowLink(focusedRow())
  if (link) location.assign(`${new URL(link.href).pathname}edit/`)
  else follow("[data-key=e]")
}

const follow = (selector) => document.querySelector(selector)?.click()

// The page /help/keys/ names them for people.
const keys = {
  "/": () => document.getElementById("search")?.focus(),
  "?": () => location.assign("/help/keys/"),
  j: () => move(1),
  k: () => move(-1),
  o: () => rowLink(focusedRow())?.click(),
  x: select,
  e: edit,
  a: () => follow("[data-key=a]"),
  "[": () => follow("a[rel=prev]"),
  "]": () => follow("a[rel=next]"),
  "g h": () => location.assign("/"),
  "g w": () => location.assign("/extras/webhooks/"),
  "g d": () => location.assign("/extras/deliveries/"),
  "g c": () => location.assign("/extras/object-changes/")
}

let before = ""

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false
      menu.querySelector("summary").focus()
    }
  }
  if (root.dataset.keys === "off") return
  if (event.target.closest("input:not([type=checkbox]), textarea, select")) return
  const act = keys[before === "g" ? `g ${event.key}` : event.key]
  before = event.key
  if (act === undefined) return
  event.preventDefault()
  act()
})

// A page that stays open shows how the engine is now, unless nobody looks at it.
const refreshMillis = 10_000

const refresh = async () => {
  const shown = document.querySelector("[data-gauges]")
  if (shown === null || document.hidden) return
  const reply = await fetch("/gauges/", { headers: { accept: "text/html" } }).catch(() => undefined)
  if (reply?.ok && !reply.redirected) shown.outerHTML = await reply.text()
}

setInterval(refresh, refreshMillis)

// Lists: a box that selects the page, and how many objects are selected.
for (const all of document.querySelectorAll("[data-select-page]")) {
  const form = all.form
  const boxes = [...form.querySelectorAll("input[name=id]")]
  const every = form.querySelector("input[name=all]")
  const told = form.querySelector("[data-selected]")
  const tell = () => {
    const count = boxes.filter((box) => box.checked).length
    all.checked = count === boxes.length
    all.indeterminate = count > 0 && count < boxes.length
    told.textContent = every?.checked ? "All selected:" : count > 0 ? `${count} selected:` : "With the selected:"
  }
  all.parentElement.hidden = false
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked
    tell()
  })
  form.addEventListener("change", (event) => event.target !== all && tell())
  tell()
}
