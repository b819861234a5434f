// Makes pickers of the fields that refer to objects, and of lists whose values are known. Each is an editable combobox
// with a list (ARIA Authoring Practices). Without this script the same fields take ids and keys, and a button beside
// them leads to a search.
import { addressOf, shown } from "./shown.js"

/** Milliseconds without a key before a search. */
const pauseMillis = 150

let count = 0

/** Whether a button of the mouse is down, or a finger. */
let isPressed = false
addEventListener("pointerdown", () => (isPressed = true), true)
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isPressed = false), true)

const make = (tag, properties = {}, attributes = {}) => {
  const element = Object.assign(document.createElement(tag), properties)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

const itemsOf = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const icon = (name) => {
  const space = "http://www.w3.org/2000/svg"
  const svg = document.createElementNS(space, "svg")
  const use = document.createElementNS(space, "use")
  svg.setAttribute("class", "i")
  svg.setAttribute("aria-hidden", "true")
  use.setAttribute("href", `${document.querySelector("svg use").getAttribute("href").split("#")[0]}#${name}`)
  svg.append(use)
  return svg
}

class Picker {
  constructor(root) {
    this.root = root
    this.isMany = "many" in root.dataset
    this.labels = new Map(Object.entries(JSON.parse(root.dataset.labels)))
    this.input = root.querySelector("input")
    this.title = document.querySelector(`label[for="${this.input.id}"]`).textContent.replace("*", "").trim()
    this.options = []
    this.active = -1
    // The form sends the id or the key; the input shows the object's display.
    this.sent = make("input", { type: "hidden", name: this.input.name, value: this.input.value })
    this.input.removeAttribute("name")
    this.input.after(this.sent)
  }

  start() {
    this.build()
    this.listen()
    this.show()
    this.root.dataset.ready = ""
  }

  build() {
    const { input, root } = this
    const id = `picker-${(count += 1)}`
    this.list = make(
      "ul",
      { id, className: "picker-list", hidden: true },
      { role: "listbox", "aria-label": this.title }
    )
    this.status = make("span", { className: "visually-hidden" }, { role: "status" })
    const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id }
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value)
    input.placeholder = this.isMany ? "Add…" : "Search…"
    root.append(this.list, this.status)
    const button = root.querySelector("button[name=_pick]")
    if (button !== null) {
      button.tabIndex = -1
      button.addEventListener("click", (event) => {
        event.preventDefault()
        input.focus()
        this.search("")
      })
    }
    if (this.isMany) {
      this.chips = root.querySelector("[data-chips]")
      root.append(this.chips)
      root.prepend(this.chips)
    }
  }

  listen() {
    const { input } = this
    input.addEventListener("input", () => {
      if (!this.isMany) this.sent.value = input.value.trim()
      clearTimeout(this.timer)
      this.timer = setTimeout(() => this.search(input.value), pauseMillis)
    })
    input.addEventListener("keydown", (event) => this.key(event))
    input.addEventListener("click", () => this.list.hidden && this.search(this.typed()))
    input.addEventListener("blur", () => {
      this.close()
      // A chip that appears would move the button that is being pressed away from under the pointer.
      if (isPressed) addEventListener("pointerup", () => setTimeout(() => this.settle()), { once: true })
      else this.settle()
    })
    // A press on an option or a chip must not take the focus from the input: it would be gone before the click.
    for (const pressed of [this.list, this.chips])
      pressed?.addEventListener("mousedown", (event) => event.preventDefault())
    this.list.addEventListener("click", ({ target }) => {
      const at = [...this.list.children].indexOf(target.closest("[role=option]"))
      if (at >= 0) this.choose(at)
    })
    // Before htmx sends the form.
    this.root.closest("form").addEventListener("submit", () => this.settle(), { capture: true })
    this.typeField()?.addEventListener("change", () => {
      this.sent.value = ""
      this.show()
    })
  }

  /** The text to search for: what was typed; nothing where the display of the chosen object stands. */
  typed() {
    const { value } = this.input
    return value === this.labels.get(this.sent.value) ? "" : value
  }

  typeField() {
    const name = this.root.dataset.typeFrom
    return name === undefined ? undefined : this.root.closest("form").elements.namedItem(name)
  }

  path() {
    const field = this.typeField()
    return field ? (JSON.parse(this.root.dataset.paths)[field.value] ?? "") : (this.root.dataset.path ?? "")
  }

  /** The values of other fields that narrow the choice. */
  narrowed() {
    const { elements } = this.root.closest("form")
    const names = (this.root.dataset.narrowedBy ?? "").split(" ")
    return names.flatMap((name) => (elements.namedItem(name)?.value ? [[name, elements.namedItem(name).value]] : []))
  }

  key(event) {
    const { key } = event
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault()
      if (this.list.hidden) this.search(this.typed())
      else this.move(key === "ArrowDown" ? 1 : -1)
    } else if (key === "Enter") {
      // It chooses, and never sends a form that is half filled in.
      event.preventDefault()
      if (this.active >= 0) this.choose(this.active)
      else if (!this.list.hidden && this.typed().trim() !== "" && this.options.length === 1) this.choose(0)
      else this.settle()
    } else if (key === "Escape" && !this.list.hidden) {
      event.preventDefault()
      event.stopPropagation()
      this.close()
    } else if (key === "Backspace" && this.isMany && this.input.value === "") {
      this.remove(itemsOf(this.sent.value).at(-1))
    }
  }

  async search(text) {
    this.request?.abort()
    this.request = new AbortController()
    const { signal } = this.request
    try {
      const { results, more } = await this.find(text.trim(), signal)
      if (!signal.aborted && document.activeElement === this.input) this.open(results, more)
    } catch (error) {
      if (error.name !== "AbortError") this.tell("The search failed. Type an id, or try again.")
    }
  }

  async find(text, signal) {
    const { options } = this.root.dataset
    if (options !== undefined) {
      const word = text.toLowerCase()
      const held = new Set(itemsOf(this.sent.value))
      const results = Object.entries(JSON.parse(options))
        .filter(([id, label]) => !held.has(id) && `${id} ${label}`.toLowerCase().includes(word))
        .map(([id, display]) => ({ id, display, detail: id }))
      return { results, more: false }
    }
    const path = this.path()
    if (path === "") throw new Error("no type")
    const query = new URLSearchParams([["q", text], ...this.narrowed()])
    const response = await fetch(`${addressOf(path)}?${query}`, { signal })
    if (!response.ok) throw new Error(String(response.status))
    return response.json()
  }

  open(results, more) {
    this.options = results
    this.active = -1
    const { id } = this.list
    this.list.replaceChildren(
      ...results.map(({ display, detail }, at) => {
        const option = make("li", { id: `${id}-${at}` }, { role: "option", "aria-selected": "false" })
        option.append(make("span", { textContent: display }))
        if (detail) option.append(make("span", { className: "sub", textContent: detail }))
        return option
      })
    )
    this.list.hidden = results.length === 0
    this.input.setAttribute("aria-expanded", String(results.length > 0))
    this.input.removeAttribute("aria-activedescendant")
    const found =
      results.length === 0 ? "Nothing matches." : `${results.length} found${more ? ", and there are more" : ""}.`
    this.tell(found, results.length === 0)
  }

  /** Speaks to screen readers; a message for everybody stands in the place of the list. */
  tell(text, isShown = true) {
    this.status.textContent = text
    this.status.className = isShown ? "picker-status" : "visually-hidden"
  }

  close() {
    this.request?.abort()
    clearTimeout(this.timer)
    this.list.hidden = true
    this.active = -1
    this.input.setAttribute("aria-expanded", "false")
    this.input.removeAttribute("aria-activedescendant")
    this.tell("", false)
  }

  move(by) {
    const { children } = this.list
    if (this.active >= 0) children[this.active].setAttribute("aria-selected", "false")
    this.active = (this.active + by + children.length + (this.active < 0 && by < 0 ? 1 : 0)) % children.length
    const option = children[this.active]
    option.setAttribute("aria-selected", "true")
    option.scrollIntoView({ block: "nearest" })
    this.input.setAttribute("aria-activedescendant", option.id)
  }

  choose(at) {
    const { id, display } = this.options[at]
    this.labels.set(String(id), display)
    if (this.isMany) this.add([String(id)])
    else this.sent.value = String(id)
    this.show()
    this.close()
    this.announceChoice()
  }

  /** Whoever listens to the form hears of choices as of what is typed. */
  announceChoice() {
    this.sent.dispatchEvent(new Event("input", { bubbles: true }))
  }

  /** Takes what was typed and not chosen as it is: an id or a key. */
  settle() {
    if (this.isMany && this.input.value.trim() === "") return
    if (this.isMany) this.add(itemsOf(this.input.value))
    else if (this.input.value !== this.labels.get(this.sent.value)) this.sent.value = this.input.value.trim()
    this.show()
  }

  add(items) {
    this.sent.value = [...new Set([...itemsOf(this.sent.value), ...items])].join(",")
  }

  remove(item) {
    this.sent.value = itemsOf(this.sent.value)
      .filter((each) => each !== item)
      .join(",")
    this.show()
    this.announceChoice()
  }

  show() {
    if (!this.isMany) {
      this.input.value = this.labels.get(this.sent.value) ?? this.sent.value
      return
    }
    this.input.value = ""
    this.chips.replaceChildren(
      ...itemsOf(this.sent.value).map((item) => {
        const label = this.labels.get(item) ?? item
        const chip = make("li", { className: "chip-v", textContent: label })
        const button = make("button", { type: "button" }, { "aria-label": `Remove ${label}` })
        button.append(icon("x"))
        button.addEventListener("click", () => {
          this.remove(item)
          this.input.focus()
        })
        chip.append(button)
        return chip
      })
    )
  }
}

shown("[data-picker]", (root) => new Picker(root).start())
