// Pages change in place, so what a script adds to an element it adds whenever such an element is shown.

/** Calls `setUp` once for each element that matches: for those of the page, and for those that htmx or live.js put in later. */
export const shown = (selector, setUp) => {
  const known = new WeakSet()
  const setUpIn = (root) => {
    for (const element of root.querySelectorAll(selector)) {
      if (!known.has(element)) setUp(element)
      known.add(element)
    }
  }
  setUpIn(document)
  document.addEventListener("htmx:after:swap", () => setUpIn(document))
  document.addEventListener("live:put", () => setUpIn(document))
}

/** The public address of a path of the service. The service may be published under a path: scripts are in its `static/`. */
export const addressOf = (path) => new URL(`..${path}`, import.meta.url).pathname
