// The picture of a topology: larger and smaller, and devices that are moved. Places are kept in this tab of the browser
// alone. Without this script the picture does not change, and is scrolled.
import { shown } from "./shown.js"

const [sizeMin, sizeMax] = [0.1, 3]
/** Smallest size at which the whole picture is shown by itself: smaller names cannot be read at all. */
const wholeMin = 0.6
const step = 1.25
/** Pixels of the picture that a key moves a device. */
const stepPixels = 12
/** Pixels that a pointer moves before a device or the picture follows it: less is a click. */
const dragPixels = 4
/** Most devices whose places are kept. */
const keptMax = 1000

const round = (value) => Math.round(value * 10) / 10

/** As topology/Picture.ts draws it. */
const curve = (a, b, isWireless) => {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const by = isWireless ? -0.12 : 0.12
  const bend = { x: (a.x + b.x) / 2 - dy * by, y: (a.y + b.y) / 2 + dx * by }
  return {
    path: `M${a.x} ${a.y}Q${round(bend.x)} ${round(bend.y)} ${b.x} ${b.y}`,
    middle: { x: round((a.x + b.x + 2 * bend.x) / 4), y: round((a.y + b.y + 2 * bend.y) / 4) }
  }
}

/** Kept places may be refused by the browser, or be another program's. */
const keptIn = (key) => {
  try {
    return new Map(Object.entries(JSON.parse(sessionStorage.getItem(key) ?? "{}")))
  } catch {
    return new Map()
  }
}

const keep = (key, places) => {
  try {
    if (places.size === 0) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(Object.fromEntries([...places].slice(-keptMax))))
  } catch {
    // The places last as long as the page.
  }
}

class Picture {
  constructor(svg) {
    this.svg = svg
    const { width, height } = svg.viewBox.baseVal
    this.whole = { width, height }
    this.places = new Map()
    this.nodes = new Map()
    this.lines = new Map()
    for (const node of svg.querySelectorAll(".node")) {
      const { e: x, f: y } = node.transform.baseVal.consolidate().matrix
      this.places.set(node.dataset.id, { x, y })
      this.nodes.set(node.dataset.id, node)
      this.lines.set(node.dataset.id, [])
    }
    for (const line of svg.querySelectorAll(".line")) {
      for (const end of [line.dataset.a, line.dataset.b]) this.lines.get(end)?.push(line)
    }
    this.drawn = new Map(this.places)
    this.key = `topology ${location.search}`
    this.moved = keptIn(this.key)
    for (const [id, [x, y]] of this.moved) if (this.nodes.has(id)) this.draw(id, { x, y })
  }

  draw(id, { x, y }) {
    const inside = (value, most) => Math.round(Math.min(Math.max(value, 0), most))
    const place = { x: inside(x, this.whole.width), y: inside(y, this.whole.height) }
    this.places.set(id, place)
    this.nodes.get(id).setAttribute("transform", `translate(${place.x} ${place.y})`)
    for (const line of this.lines.get(id)) {
      const [a, b] = [line.dataset.a, line.dataset.b].map((end) => this.places.get(end))
      const { path, middle } = curve(a, b, line.dataset.wireless !== undefined)
      for (const drawn of line.querySelectorAll("path")) drawn.setAttribute("d", path)
      const count = line.querySelector("text")
      count?.setAttribute("x", middle.x)
      count?.setAttribute("y", middle.y)
    }
  }

  move(id, place) {
    this.draw(id, place)
    const { x, y } = this.places.get(id)
    this.moved.delete(id)
    this.moved.set(id, [x, y])
  }

  save() {
    keep(this.key, this.moved)
  }

  reset() {
    for (const id of this.moved.keys()) if (this.nodes.has(id)) this.draw(id, this.drawn.get(id))
    this.moved.clear()
    this.save()
  }

  /** Highlights the lines of a device while it is pointed at. */
  single(id) {
    this.svg.classList.toggle("has-near", id !== undefined)
    for (const line of this.svg.querySelectorAll(".line.near")) line.classList.remove("near")
    for (const line of this.lines.get(id) ?? []) line.classList.add("near")
  }
}

/** The size of the picture in its view. */
class Zoom {
  constructor(view, picture) {
    this.view = view
    this.picture = picture
    this.size = 1
  }

  /** The point of the window stays where it is; by default the middle of the part that is shown. */
  to(wanted, at) {
    const { view, picture } = this
    const box = view.getBoundingClientRect()
    const [x, y] = at ? [at.clientX - box.left, at.clientY - box.top] : [box.width / 2, box.height / 2]
    const next = Math.min(Math.max(wanted, sizeMin), sizeMax)
    const factor = next / this.size
    const [left, top] = [(view.scrollLeft + x) * factor - x, (view.scrollTop + y) * factor - y]
    this.size = next
    picture.svg.setAttribute("width", picture.whole.width * next)
    picture.svg.setAttribute("height", picture.whole.height * next)
    view.scrollTo(left, top)
  }

  fitting() {
    const { view, picture } = this
    return Math.min(view.clientWidth / picture.whole.width, view.clientHeight / picture.whole.height, 1)
  }

  in() {
    this.to(this.size * step)
  }

  out() {
    this.to(this.size / step)
  }

  fit() {
    this.to(this.fitting())
  }
}

shown("[data-topology]", (view) => {
  const picture = new Picture(view.querySelector("svg"))
  const zoom = new Zoom(view, picture)
  const card = view.closest(".topology-card")
  const tools = card.querySelector("[data-topology-tools]")
  const back = tools.querySelector("[data-reset]")
  tools.hidden = false
  card.querySelector("[data-topology-help]").hidden = false
  back.hidden = picture.moved.size === 0
  const saved = () => {
    picture.save()
    back.hidden = picture.moved.size === 0
  }
  for (const button of tools.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoom[button.dataset.zoom]())
  }
  back.addEventListener("click", () => {
    picture.reset()
    back.hidden = true
    view.focus()
  })
  withKeys(view, picture, zoom, saved)
  withPointer(view, picture, zoom, saved)
  const first = zoom.fitting()
  if (first < 1) zoom.to(Math.max(first, wholeMin))
  view.scrollTo((view.scrollWidth - view.clientWidth) / 2, 0)
})

const sizeKeys = { "+": "in", "=": "in", "-": "out", 0: "fit" }
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

function withKeys(view, picture, zoom, saved) {
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { id } = event.target.closest(".node")?.dataset ?? {}
    const by = event.shiftKey && id !== undefined ? arrows[event.key] : undefined
    const areOff = document.documentElement.dataset.keys === "off"
    const size = by === undefined && !areOff ? sizeKeys[event.key] : undefined
    if (by === undefined && size === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (size !== undefined) return zoom[size]()
    const { x, y } = picture.places.get(id)
    picture.move(id, { x: x + by[0] * stepPixels, y: y + by[1] * stepPixels })
    saved()
  })
}

/** A device follows the pointer, and the picture where there is none. A finger scrolls by itself. */
function withPointer(view, picture, zoom, saved) {
  const idAt = (event) => event.target.closest?.(".node")?.dataset.id
  for (const type of ["pointerover", "focusin"]) view.addEventListener(type, (event) => picture.single(idAt(event)))
  view.addEventListener("pointerleave", () => picture.single(undefined))
  view.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      zoom.to(zoom.size * Math.exp(-event.deltaY / 400), event)
    },
    { passive: false }
  )
  let held
  let isDrag = false
  view.addEventListener("dragstart", (event) => event.preventDefault())
  view.addEventListener(
    "click",
    (event) => {
      if (!isDrag) return
      event.preventDefault()
      event.stopPropagation()
      isDrag = false
    },
    true
  )
  view.addEventListener("pointerdown", (event) => {
    isDrag = false
    if (event.button !== 0 || event.pointerType === "touch") return
    const { id } = event.target.closest(".node")?.dataset ?? {}
    held = { id, event, place: picture.places.get(id), left: view.scrollLeft, top: view.scrollTop }
  })
  view.addEventListener("pointermove", (event) => {
    if (held === undefined) return
    const [x, y] = [event.clientX - held.event.clientX, event.clientY - held.event.clientY]
    if (!isDrag) {
      if (Math.hypot(x, y) < dragPixels) return
      isDrag = true
      view.setPointerCapture(event.pointerId)
      view.classList.add("dragging")
    }
    if (held.id === undefined) view.scrollTo(held.left - x, held.top - y)
    else picture.move(held.id, { x: held.place.x + x / zoom.size, y: held.place.y + y / zoom.size })
  })
  for (const type of ["pointerup", "pointercancel"]) {
    view.addEventListener(type, () => {
      view.classList.remove("dragging")
      if (isDrag && held?.id !== undefined) saved()
      held = undefined
    })
  }
}
