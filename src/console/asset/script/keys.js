// Keys for lists and pages; the preferences turn them off. The page /help/keys/ names them for people.
import { addressOf } from "./shown.js"

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

const keys = {
  "/": () => document.getElementById("search")?.focus(),
  "?": () => location.assign(addressOf("/help/keys/")),
  j: () => move(1),
  k: () => move(-1),
  o: () => rowLink(focusedRow())?.click(),
  x: select,
  e: edit,
  a: () => follow("[data-key=a]"),
  p: () => follow("[data-key=p]"),
  r: () => follow("[data-key=r]"),
  t: () => follow("[data-key=t]"),
  "[": () => follow("a[rel=prev]"),
  "]": () => follow("a[rel=next]"),
  "g h": () => location.assign(addressOf("/")),
  "g w": () => location.assign(addressOf("/extras/webhooks/")),
  "g d": () => location.assign(addressOf("/extras/deliveries/")),
  "g c": () => location.assign(addressOf("/extras/object-changes/"))
}

let before = ""

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (document.documentElement.dataset.keys === "off") return
  if (event.target.closest("input:not([type=checkbox]), textarea, select")) return
  const act = keys[before === "g" ? `g ${event.key}` : event.key]
  before = event.key
  if (act === undefined) return
  event.preventDefault()
  act()
})
