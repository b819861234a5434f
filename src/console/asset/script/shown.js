// Pages change in place, so what a script adds to an element it adds whenever such an element is shown.

/** Calls `setUp` once for each element that matches: for those of the page, and for those that htmx or live.js put in later. */
export const shown = (selector, setUp) => {
  const known = new WeakSet()
  const setUpIn = (root) => {
    for (const element of root.querySelectorAll(selector)) {
      if (known.has(element)) continue
      // Before: what it adds may be announced by an event, which leads back here.
      known.add(element)
      setUp(element)
    }
  }
  setUpIn(document)
  document.addEventListener("htmx:after:swap", () => setUpIn(document))
  document.addEventListener("live:put", () => setUpIn(document))
}

/** The public address of a path of the service. The service may be published under a path: scripts are in its `static/`. */
export const addressOf = (path) => new URL(`..${path}`, import.meta.url).pathname

/** An element with properties and attributes. */
export const make = (tag, properties = {}, attributes = {}) => {
  const element = Object.assign(document.createElement(tag), properties)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

/** An icon of the sprite of the page. */
export const icon = (name) => {
  const space = "http://www.w3.org/2000/svg"
  const svg = document.createElementNS(space, "svg")
  const use = document.createElementNS(space, "use")
  svg.setAttribute("class", "i")
  svg.setAttribute("aria-hidden", "true")
  use.setAttribute("href", `${document.querySelector("svg use").getAttribute("href").split("#")[0]}#${name}`)
  svg.append(use)
  return svg
}
