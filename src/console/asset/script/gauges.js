// A page that stays open shows how the engine is now, unless nobody looks at it.
import { addressOf } from "./shown.js"

const refreshMillis = 10_000

const refresh = async () => {
  const gauges = document.querySelector("[data-gauges]")
  if (gauges === null || document.hidden) return
  const reply = await fetch(addressOf("/gauges/"), { headers: { accept: "text/html" } }).catch(() => undefined)
  if (reply?.ok && !reply.redirected) gauges.outerHTML = await reply.text()
}

setInterval(refresh, refreshMillis)
