// Fills in the slug of a new object while its name is typed, as long as nobody has typed one.
import { shown } from "./shown.js"

/** As `inventory/field/SlugOf.ts`, which makes the slug where no script did. */
const slugOf = (name) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/[\s-]+/g, "-")
    .slice(0, 100)

shown("[data-slug-from]", (slug) => {
  const { elements } = slug.form
  const name = elements.namedItem(slug.dataset.slugFrom)
  // An object that exists keeps its slug.
  if (!name || elements.namedItem("_was")) return
  let made = slugOf(name.value)
  name.addEventListener("input", () => {
    if (slug.value !== "" && slug.value !== made) return
    made = slugOf(name.value)
    slug.value = made
  })
})
