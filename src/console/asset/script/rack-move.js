// Moves devices in pictures of racks, with the pointer or with keys. The service decides, and says why it refuses (rack/Move.ts).
import { addressOf, shown } from "./shown.js"

const space = "http://www.w3.org/2000/svg"
const half = 0.5

/** Pixels that a pointer moves before a device follows it: less is a click on its link. */
const dragPixels = 5

/** Units between the pointer and the next free place. */
const reachUnits = 1.5

const unitsIn = (text) => new Set(text === "" ? [] : text.split(" ").map(Number))

const unitsOf = ({ position, height }) => {
  const [from, to] = [Math.floor(position / half), Math.ceil((position + height) / half)]
  return Array.from({ length: to - from }, (_, at) => (from + at) * half)
}

/** One face of a rack. */
class Face {
  constructor(svg) {
    const { rack, face, height, descending, unit, top, left, width, taken, behind } = svg.dataset
    Object.assign(this, { svg, rack, face, height: Number(height), isDescending: descending === "true" })
    Object.assign(this, { unit: Number(unit), top: Number(top), left: Number(left), width: Number(width) })
    this.taken = unitsIn(taken)
    this.behind = unitsIn(behind)
    this.title = svg.getAttribute("aria-label")
  }

  yOf(position, height) {
    return this.top + this.unit * (this.isDescending ? position - 1 : this.height + 1 - position - height)
  }

  /** The positions at which the device fits, from above. */
  freeFor(device) {
    const without = (taken, face) => {
      const isThere = device.rack === this.rack && (device.face === face || device.isDeep)
      return isThere ? taken.difference(new Set(unitsOf(device))) : taken
    }
    const [here, other] = [this.face, this.face === "front" ? "rear" : "front"]
    const taken = without(this.taken, here).union(device.isDeep ? without(this.behind, other) : new Set())
    const isSplit = (unit) => taken.has(unit) !== taken.has(unit + half)
    const step = device.height % 1 !== 0 || [...taken].some((unit) => isSplit(Math.floor(unit))) ? half : 1
    const free = []
    for (let position = 1; position + device.height <= this.height + 1; position += step) {
      if (unitsOf({ position, height: device.height }).every((unit) => !taken.has(unit))) free.push(position)
    }
    return this.isDescending ? free : free.toReversed()
  }

  rectangle(position, height, name) {
    const rect = document.createElementNS(space, "rect")
    const box = { x: this.left, y: this.yOf(position, height), width: this.width, height: this.unit * height }
    for (const [key, value] of Object.entries({ ...box, class: name })) rect.setAttribute(key, value)
    return rect
  }

  /** The place of a point of the window: the distance from above in units of the picture; undefined outside. */
  at({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect()
    if (clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom) return undefined
    return ((clientY - box.top) / box.height) * this.svg.viewBox.baseVal.height
  }
}

const deviceOf = (link) => {
  const { move, label, position, units, deep, version } = link.dataset
  const { rack, face } = link.closest("svg").dataset
  const place = { rack, face, position: Number(position), height: Number(units), isDeep: deep === "true" }
  return { link, id: move, label, version, ...place }
}

/** The move of one device, from its begin until it is sent or given up. */
class Move {
  constructor(root, link, say) {
    this.device = deviceOf(link)
    this.say = say
    this.token = root.querySelector("[name=csrfmiddlewaretoken]")?.value ?? ""
    const faces = [...root.querySelectorAll("svg[data-rack]")].map((svg) => new Face(svg))
    this.faces = faces.map((face) => ({ face, free: face.freeFor(this.device) })).filter(({ free }) => free.length > 0)
    this.marks = this.faces.flatMap(({ face, free }) =>
      [...new Set(free.flatMap((position) => unitsOf({ position, height: this.device.height })))].map((unit) => {
        const mark = face.rectangle(unit, half, "move-free")
        face.svg.append(mark)
        return mark
      })
    )
    link.classList.add("moving")
  }

  /** The chosen place, drawn; undefined for none. */
  choose(choice) {
    this.ghost?.remove()
    this.choice = choice
    if (choice === undefined) return
    this.ghost = choice.face.rectangle(choice.position, this.device.height, "move-ghost")
    choice.face.svg.append(this.ghost)
  }

  isUnchanged() {
    const { face, position } = this.choice
    return face.rack === this.device.rack && face.face === this.device.face && position === this.device.position
  }

  /** The picture as it was. */
  end() {
    this.choose(undefined)
    for (const mark of this.marks) mark.remove()
    this.device.link.classList.remove("moving")
  }

  async send() {
    const { id, label, version, link } = this.device
    const { face, position } = this.choice
    const place = `unit ${position}, ${face.title.charAt(0).toLowerCase()}${face.title.slice(1)}`
    this.say(`Moving ${label} to ${place} …`)
    const fields = { rack: face.rack, place: `${face.face} ${position}`, _version: version }
    const body = new URLSearchParams({ csrfmiddlewaretoken: this.token, ...fields })
    const reason = await this.refusalOf(addressOf(`/dcim/devices/${id}/move/`), body)
    if (reason === undefined) {
      sessionStorage.setItem("moved", JSON.stringify({ id, said: `${label} was moved to ${place}.` }))
      location.reload()
      return
    }
    this.end()
    this.say(reason, true)
    link.focus()
  }

  /** Why the service did not move the device; undefined if it did. */
  async refusalOf(address, body) {
    try {
      const response = await fetch(address, {
        method: "POST",
        body,
        redirect: "manual",
        headers: { accept: "text/html" }
      })
      if (response.type === "opaqueredirect") return undefined
      const page = new DOMParser().parseFromString(await response.text(), "text/html")
      const told = page.querySelector("[data-refusal]")?.textContent ?? page.querySelector("main b")?.textContent
      return told?.trim() ?? `The device was not moved. The service answered with ${response.status}.`
    } catch {
      return "The device was not moved: the service did not answer."
    }
  }
}

shown("[data-rack-moves]", (root) => {
  const help = root.querySelector("[data-moves-help]")
  const said = root.querySelector("[data-moves-said]")
  help.hidden = false
  const say = (text, isBad = false) => {
    said.textContent = text
    said.classList.toggle("bad", isBad)
  }
  /** The present move, whether with the pointer or with keys. */
  let current
  const stop = () => {
    current?.end()
    current = undefined
  }
  const begin = (link) => {
    stop()
    current = new Move(root, link, say)
    return current
  }
  const send = () => {
    const move = current
    current = undefined
    if (move.choice !== undefined && !move.isUnchanged()) return move.send()
    move.end()
    say(`${move.device.label} stays where it is.`)
  }
  for (const link of root.querySelectorAll("a.movable")) {
    withPointer(link, { begin, stop, send })
    withKeys(link, { begin, stop, send, say, current: () => current })
  }
  const moved = JSON.parse(sessionStorage.getItem("moved") ?? "null")
  const link = moved === null ? null : root.querySelector(`a[data-move="${moved.id}"]`)
  if (link === null) return
  sessionStorage.removeItem("moved")
  link.focus({ preventScroll: true })
  say(moved.said)
})

/** A finger scrolls the page, so devices follow a mouse or a pen alone. */
function withPointer(link, { begin, stop, send }) {
  let start
  let move
  let isDrag = false
  link.addEventListener("dragstart", (event) => event.preventDefault())
  link.addEventListener("click", (event) => {
    if (isDrag) event.preventDefault()
  })
  link.addEventListener("pointerdown", (event) => {
    isDrag = false
    if (event.button !== 0 || event.pointerType === "touch") return
    start = event
    link.setPointerCapture(event.pointerId)
  })
  link.addEventListener("pointermove", (event) => {
    if (start === undefined) return
    if (move === undefined) {
      if (Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < dragPixels) return
      move = begin(link)
      isDrag = true
    }
    move.choose(nearest(move, event, start))
  })
  const finish = (act) => () => {
    start = undefined
    if (move !== undefined) act()
    move = undefined
  }
  link.addEventListener("pointerup", finish(send))
  link.addEventListener("pointercancel", finish(stop))
  link.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && move !== undefined) finish(stop)()
  })
}

/** The free place nearest to the pointer, which began somewhere on the device. */
const nearest = (move, event, start) => {
  const { device } = move
  const own = new Face(device.link.closest("svg"))
  const grabbed = (own.at(start) ?? 0) - own.yOf(device.position, device.height)
  for (const { face, free } of move.faces) {
    const y = face.at(event)
    if (y === undefined) continue
    const away = (position) => Math.abs(face.yOf(position, device.height) - (y - grabbed))
    const [position] = free.toSorted((a, b) => away(a) - away(b))
    return away(position) <= reachUnits * face.unit ? { face, position } : undefined
  }
  return undefined
}

function withKeys(link, { begin, stop, send, say, current }) {
  let isOn = false
  const choose = (at, position) => {
    const move = current()
    const { face } = move.faces[at]
    move.choose({ at, face, position })
    move.ghost.scrollIntoView({ block: "nearest", inline: "nearest" })
    say(`${face.title}, unit ${position}`)
  }
  const start = () => {
    const move = begin(link)
    isOn = move.faces.length > 0
    if (!isOn) {
      stop()
      return say(`There is no free place for ${move.device.label} here.`, true)
    }
    const { rack, face, position } = move.device
    const own = move.faces.findIndex((each) => each.face.rack === rack && each.face.face === face)
    const at = Math.max(own, 0)
    choose(at, own < 0 ? move.faces[0].free[0] : position)
    const now = `Moving ${move.device.label}, now at ${move.choice.face.title}, unit ${move.choice.position}.`
    say(`${now} Up and down choose a unit, left and right a picture; Enter moves it, Escape leaves it.`)
  }
  const step = (by) => {
    const { faces, choice } = current()
    const { free } = faces[choice.at]
    const next = free[free.indexOf(choice.position) + by]
    if (next !== undefined) choose(choice.at, next)
  }
  const cross = (by) => {
    const { faces, choice, device } = current()
    const next = faces[choice.at + by]
    if (next === undefined) return
    const y = choice.face.yOf(choice.position, device.height)
    const away = (position) => Math.abs(next.face.yOf(position, device.height) - y)
    choose(choice.at + by, next.free.toSorted((a, b) => away(a) - away(b))[0])
  }
  const leave = (act) => {
    isOn = false
    act()
  }
  const keys = {
    ArrowUp: () => step(-1),
    ArrowDown: () => step(1),
    ArrowLeft: () => cross(-1),
    ArrowRight: () => cross(1),
    Enter: () => leave(send),
    Escape: () => leave(() => (stop(), say("Nothing was moved.")))
  }
  link.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    if (!isOn && (event.key !== "m" || document.documentElement.dataset.keys === "off")) return
    const act = isOn ? keys[event.key] : start
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  })
  link.addEventListener("blur", () => {
    if (isOn) leave(stop)
  })
}
