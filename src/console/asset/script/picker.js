// Makes pickers of the fields that refer to objects, and of lists whose values are known. Each is an editable combobox
// with a list (ARIA Authoring Practices). Without this script the same fields take ids and keys, and a button beside
// them leads to a search.
import { PickerPopup, itemsOf } from "./picker-popup.js"
import { addressOf, icon, make, shown } from "./shown.js"

/** Milliseconds without a key before a search. */
const pauseMillis = 150

/** Whether a button of the mouse is down, or a finger. */
let isPressed = false
addEventListener("pointerdown", () => (isPressed = true), true)
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isPressed = false), true)

class Picker {
  constructor(root) {
    this.root = root
    this.isMany = "many" in root.dataset
    this.labels = new Map(Object.entries(JSON.parse(root.dataset.labels)))
    this.input = root.querySelector("input.field-in")
    this.title = document.querySelector(`label[for="${this.input.id}"]`).textContent.replace("*", "").trim()
    // The form sends the id or the key; the input shows the object's display.
    const { each } = root.dataset
    this.sent = make("input", {
      type: "hidden",
      name: each === undefined ? this.input.name : "",
      value: this.input.value
    })
    if (each !== undefined) this.sent.value = [...this.labels.keys()].join(",")
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
    this.popup = new PickerPopup(input, this.title)
    input.placeholder = this.isMany ? "Add…" : "Search…"
    root.append(this.popup.element)
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
      // Its answer is for another text, and would end the search that the key starts.
      this.request?.abort()
      this.isSearching(true)
      this.timer = setTimeout(() => this.search(input.value), pauseMillis)
    })
    input.addEventListener("keydown", (event) => this.key(event))
    input.addEventListener("click", () => this.popup.isOpen || this.search(this.typed()))
    input.addEventListener("blur", () => {
      this.close()
      // A chip that appears would move the button that is being pressed away from under the pointer.
      if (isPressed) addEventListener("pointerup", () => setTimeout(() => this.settle()), { once: true })
      else this.settle()
    })
    // A press on an option or a chip must not take the focus from the input: it would be gone before the click.
    for (const pressed of [this.popup.list, this.chips])
      pressed?.addEventListener("mousedown", (event) => event.preventDefault())
    this.popup.list.addEventListener("click", ({ target }) => {
      const at = [...this.popup.list.children].indexOf(target.closest("[role=option]"))
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
    const { narrowedBy } = this.root.dataset
    if (narrowedBy === undefined) return []
    const data = new FormData(this.root.closest("form"))
    return narrowedBy.split(" ").flatMap((each) => {
      const [name, input = name] = each.split(":")
      return data.getAll(input).flatMap((value) => (value === "" ? [] : [[name, value]]))
    })
  }

  key(event) {
    const { key } = event
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault()
      if (!this.popup.isOpen) this.search(this.typed())
      else this.popup.move(key === "ArrowDown" ? 1 : -1)
    } else if (key === "Enter") {
      // It chooses, and never sends a form that is half filled in.
      event.preventDefault()
      if (this.popup.active >= 0) this.choose(this.popup.active)
      else if ("searching" in this.root.dataset) this.takesOnly = true
      else if (this.popup.isOpen && this.typed().trim() !== "" && this.found === 1) this.choose(0)
      else this.settle()
    } else if (key === "Escape" && this.popup.isOpen) {
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
      const { results, more, add } = await this.find(text.trim(), signal)
      if (signal.aborted) return
      const takes = this.takesOnly && results.length === 1
      this.isSearching(false)
      if (document.activeElement !== this.input) return
      this.open(results, more, add)
      // A whole name and Enter choose the object that the search finds a moment later.
      if (takes) this.choose(0)
    } catch (error) {
      if (error.name === "AbortError") return
      this.isSearching(false)
      this.popup.tell("The search failed. Type an id, or try again.")
    }
  }

  isSearching(isPending) {
    this.root.toggleAttribute("data-searching", isPending)
    if (!isPending) this.takesOnly = false
  }

  async find(text, signal) {
    const { options } = this.root.dataset
    if (options !== undefined) {
      const word = text.toLowerCase()
      const held = new Set(itemsOf(this.sent.value))
      const results = Object.entries(JSON.parse(options))
        .filter(([id, label]) => !held.has(id) && `${id} ${label}`.toLowerCase().includes(word))
        .map(([id, display]) => ({ id, display, detail: id }))
      return { results, more: 0 }
    }
    const path = this.path()
    if (path === "") throw new Error("no type")
    const query = new URLSearchParams([["q", text], ...this.narrowed()])
    const response = await fetch(`${addressOf(path)}?${query}`, { signal })
    if (!response.ok) throw new Error(String(response.status))
    return response.json()
  }

  /** Ways to add an object that was not found (picked.js). */
  additions(add) {
    if (add === undefined || !("adds" in this.root.dataset)) return []
    const name = add.text === "" ? `a new ${add.what}` : `${add.what} “${add.text}”`
    const inForm = { addition: add, display: `Add ${name}…`, detail: "in a new tab" }
    return add.atOnce
      ? [{ addition: add, isAtOnce: true, display: `Add ${name}`, detail: "at once" }, inForm]
      : [inForm]
  }

  add(addition, isAtOnce) {
    if (this.isMany) this.input.value = ""
    const detail = { addition, isAtOnce, path: this.path(), narrowed: this.narrowed() }
    this.root.dispatchEvent(new CustomEvent("pick:add", { bubbles: true, detail }))
    if (!isAtOnce) this.close()
  }

  take(id, display) {
    this.labels.set(String(id), display)
    if (this.isMany) this.include([String(id)])
    else this.sent.value = String(id)
    this.show()
    this.close()
    this.announceChoice()
  }

  open(results, more, add) {
    this.found = results.length
    this.popup.show([...results, ...this.additions(add)])
    const count = more > 1000 ? "More than 1,000 more" : `${more} more`
    const found = this.found === 0 ? "Nothing matches." : more > 0 ? `${count}: type more of the name.` : ""
    this.popup.tell(found || `${this.found} found.`, found !== "")
  }

  close() {
    this.request?.abort()
    clearTimeout(this.timer)
    this.isSearching(false)
    this.popup.hide()
  }

  choose(at) {
    const { id, display, addition, isAtOnce } = this.popup.options[at]
    if (addition === undefined) this.take(id, display)
    else this.add(addition, isAtOnce)
  }

  /** Whoever listens to the form hears of choices as of what is typed. */
  announceChoice() {
    this.sent.dispatchEvent(new Event("input", { bubbles: true }))
  }

  /** Takes what was typed and not chosen as it is: an id or a key. */
  settle() {
    if (this.isMany && this.input.value.trim() === "") return
    if (this.isMany) this.include(itemsOf(this.input.value))
    else if (this.input.value !== this.labels.get(this.sent.value)) this.sent.value = this.input.value.trim()
    this.show()
  }

  include(items) {
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
    this.showEach()
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

  /** Filters send a parameter for each object. */
  showEach() {
    const { each: name } = this.root.dataset
    if (name === undefined) return
    for (const old of this.root.querySelectorAll("input[data-each-sent]")) old.remove()
    for (const value of itemsOf(this.sent.value)) {
      this.root.append(make("input", { type: "hidden", name, value }, { "data-each-sent": "" }))
    }
  }
}

shown("[data-picker]", (root) => {
  const picker = new Picker(root)
  picker.start()
  root.addEventListener("picked", ({ detail: { id, display } }) => picker.take(id, display))
  root.addEventListener("pick:refused", ({ detail }) => picker.popup.tell(detail))
})
