// A page with a live control follows what changes, by one stream of events, while somebody looks at it.
import { shown } from "./shown.js"

let source
let silence

/** Milliseconds until the first event, and between two: with very many readers the service pauses for 30 s. */
const firstMillis = 10_000
const nextMillis = 60_000

/** Updates not shown yet, by the id of their element: new rows, and parts that the reader works with. */
const waiting = new Map()

const control = () => document.querySelector("[data-live]")

const say = (text, state) => {
  const told = control()
  if (told === null) return
  told.querySelector("[data-live-state]").textContent = text
  told.querySelector(".dot").className = `dot ${state}`
}

const isUsed = (element) =>
  (element.contains(document.activeElement) && document.activeElement.matches("input, select, textarea, button")) ||
  element.querySelector("input:checked, details[open]") !== null

const rowsOf = (root) => new Set([...root.querySelectorAll("tbody th a")].map((link) => link.getAttribute("href")))

const elementOf = (text) => {
  const template = document.createElement("template")
  template.innerHTML = text
  return template.content.firstElementChild
}

const put = (id, text) => {
  const old = document.getElementById(id)
  if (old === null) return
  old.replaceWith(elementOf(text))
  window.htmx?.process(document.getElementById(id))
  document.dispatchEvent(new Event("live:put"))
}

// Scripts change attributes of what the service sent, so only texts are compared.
const isSame = (old, text) => old.textContent === elementOf(text)?.textContent

const offer = () => {
  const pill = document.querySelector("[data-live-show]")
  if (pill === null) return
  let fresh = 0
  for (const [id, text] of waiting) {
    const old = document.getElementById(id)
    if (old !== null) fresh += rowsOf(elementOf(text)).difference(rowsOf(old)).size
  }
  pill.hidden = waiting.size === 0
  pill.textContent = fresh > 0 ? `${fresh} new: show` : "Show what changed"
}

const take = (parts) => {
  for (const [id, text] of Object.entries(parts)) {
    const old = document.getElementById(id)
    if (old === null || isSame(old, text)) continue
    // New rows wait: a list must not move while its reader reads.
    const isList = old.hasAttribute("data-live-rows") && rowsOf(elementOf(text)).difference(rowsOf(old)).size > 0
    if (isList || isUsed(old)) waiting.set(id, text)
    else {
      waiting.delete(id)
      put(id, text)
    }
  }
  offer()
  say(`Live, ${new Date().toLocaleTimeString("sv-SE")}`, "ok")
}

const close = (text) => {
  clearTimeout(silence)
  source?.close()
  source = undefined
  say(text, "off")
}

const isPaused = () => control()?.dataset.live === "paused"

/** Says so unless an event arrives within this time: a proxy may keep events back. */
const expect = (millis) => {
  clearTimeout(silence)
  silence = setTimeout(() => say("Not live: nothing arrives. Does a proxy buffer the answer?", "bad"), millis)
}

const open = () => {
  clearTimeout(silence)
  source?.close()
  source = undefined
  if (control() === null || document.hidden || isPaused()) return
  source = new EventSource(location.pathname + location.search)
  expect(firstMillis)
  source.addEventListener("message", ({ data }) => {
    expect(nextMillis)
    take(JSON.parse(data))
  })
  source.addEventListener("again", open)
  source.addEventListener("away", () => {
    expect(nextMillis)
    say("Not live: the service cannot make the page now", "bad")
  })
  source.addEventListener("error", () => {
    clearTimeout(silence)
    // A browser does not repeat a request that is refused: the session has ended, or too many pages are open.
    if (source?.readyState === EventSource.CLOSED) say("Not live: load this page again", "bad")
    else say("Not live: connecting again", "warn")
  })
  source.addEventListener("open", () => expect(firstMillis))
}

shown("[data-live]", (told) => {
  told.hidden = false
  waiting.clear()
  told.querySelector("[data-live-pause]").addEventListener("click", ({ target }) => {
    told.dataset.live = isPaused() ? "" : "paused"
    target.textContent = isPaused() ? "Resume updates" : "Pause updates"
    if (isPaused()) close("Paused")
    else open()
  })
  told.querySelector("[data-live-show]").addEventListener("click", () => {
    for (const [id, text] of waiting) put(id, text)
    waiting.clear()
    offer()
  })
  open()
})

// A list that changes in place may have no control any more, or another address.
document.addEventListener("htmx:after:swap", () => control() === null && close(""))
document.addEventListener("visibilitychange", () => (document.hidden ? close("Paused while hidden") : open()))
