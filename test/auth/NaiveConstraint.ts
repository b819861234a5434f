/** Constraints evaluated as their documentation reads, over objects in memory. It shares nothing with the compiler. */

export interface Region {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly parent: Region | null
}

export interface Tag {
  readonly id: number
  readonly name: string
}

export interface Site {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly facility: string
  readonly latitude: number | null
  readonly region: Region | null
  readonly tags: ReadonlyArray<Tag>
}

export type Clauses = Readonly<Record<string, unknown>>

const lookups: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  exact: (value, wanted) => value === wanted,
  in: (value, wanted) => (wanted as ReadonlyArray<unknown>).includes(value),
  iexact: (value, wanted) => String(value).toLowerCase() === String(wanted).toLowerCase(),
  contains: (value, wanted) => String(value).includes(String(wanted)),
  icontains: (value, wanted) => String(value).toLowerCase().includes(String(wanted).toLowerCase()),
  startswith: (value, wanted) => String(value).startsWith(String(wanted)),
  istartswith: (value, wanted) => String(value).toLowerCase().startsWith(String(wanted).toLowerCase()),
  endswith: (value, wanted) => String(value).endsWith(String(wanted)),
  gt: (value, wanted) => Number(value) > Number(wanted),
  gte: (value, wanted) => Number(value) >= Number(wanted),
  lt: (value, wanted) => Number(value) < Number(wanted),
  lte: (value, wanted) => Number(value) <= Number(wanted)
}

/** Values at the end of a path: several where it goes through a list. */
const follow = (values: ReadonlyArray<unknown>, word: string): ReadonlyArray<unknown> =>
  values.flatMap((value) => {
    if (value === null) return [null]
    const next = (value as Record<string, unknown>)[word]
    return Array.isArray(next) ? (next as ReadonlyArray<unknown>) : [next]
  })

const idOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? (value as { readonly id: number }).id : value

const holds = (site: Site, key: string, wanted: unknown): boolean => {
  const words = key.split("__")
  const last = words.at(-1)!
  const lookup = last === "isnull" || Object.hasOwn(lookups, last) ? words.pop()! : "exact"
  const values = words.reduce<ReadonlyArray<unknown>>(
    (found, word) => follow(found, word === "pk" ? "id" : word.replace(/_id$/, "")),
    [site]
  )
  if (lookup === "isnull") return (values.length === 0 || values.includes(null)) === wanted
  if (wanted === null) return values.includes(null)
  return values.some((value) => value !== null && lookups[lookup]!(idOf(value), wanted))
}

/** Whether the site meets the constraints: all of an object, one of a list. */
export const meets = (site: Site, constraints: Clauses | ReadonlyArray<Clauses> | null): boolean => {
  if (constraints === null) return true
  return [constraints]
    .flat()
    .some((each) => Object.entries(each as Clauses).every(([key, wanted]) => holds(site, key, wanted)))
}
