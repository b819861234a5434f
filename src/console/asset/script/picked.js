// Adding an object from a picker: at once where a name is enough, else with its form in another tab, which publishes
// the saved object. A channel of the browser reaches pages of the same origin alone.
import { addressOf, shown } from "./shown.js"

const channel = new BroadcastChannel("rackwire picked")

const tell = (root, name, detail) => root.dispatchEvent(new CustomEvent(name, { detail }))

const addAtOnce = async (root, { addition, path, narrowed }) => {
  const { value: token } = root.closest("form").elements.namedItem("csrfmiddlewaretoken")
  const body = new URLSearchParams([["q", addition.text], ["csrfmiddlewaretoken", token], ...narrowed])
  try {
    const response = await fetch(addressOf(path), { method: "POST", body, headers: { accept: "application/json" } })
    const { id, display, detail } = await response.json()
    if (response.ok) tell(root, "picked", { id, display })
    else tell(root, "pick:refused", `It was not added. ${detail}`)
  } catch {
    tell(root, "pick:refused", "It was not added: the service did not answer.")
  }
}

const addInForm = (root, { addition }) => {
  const token = [...crypto.getRandomValues(new Uint32Array(4))].map((each) => each.toString(36)).join("-")
  const { search, pathname } = new URL(addition.form, location.origin)
  const url = new URL(addressOf(pathname), location.origin)
  url.search = search
  url.searchParams.set("_for", token)
  root.dataset.awaits = token
  window.open(url)
}

document.addEventListener("pick:add", ({ target, detail }) =>
  detail.isAtOnce ? addAtOnce(target, detail) : addInForm(target, detail)
)

channel.addEventListener("message", ({ data: { token, id, display } }) => {
  const root = [...document.querySelectorAll("[data-awaits]")].find(({ dataset }) => dataset.awaits === String(token))
  if (root === undefined) return
  delete root.dataset.awaits
  tell(root, "picked", { id: Number(id), display: String(display) })
})

shown("[data-picked-for]", ({ dataset: { pickedFor: token, id, display } }) => {
  if (token === "") return
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
  channel.postMessage({ token, id, display })
  // Browsers close only tabs that a script has opened.
  window.close()
})
