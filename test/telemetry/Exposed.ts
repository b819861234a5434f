/** Reads Prometheus' text format, and refuses what is not of that form. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Exposed {
  readonly types: ReadonlyMap<string, string>
  readonly samples: ReadonlyArray<Sample>
}

const label = String.raw`[a-z_]+="(?:[^"\\\n]|\\["\\n])*"`
const samplePattern = new RegExp(String.raw`^([a-z_]+)(?:\{(${label}(?:,${label})*)\})? (\d[\d.e+-]*|\+Inf|NaN)$`)

/** Throws for a line that is neither a comment nor a sample of a metric whose help and type come before it. */
export const readExposition = (text: string): Exposed => {
  const types = new Map<string, string>()
  const helps = new Set<string>()
  const samples: Array<Sample> = []
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const help = /^# HELP ([a-z_]+) \S/.exec(line)?.[1]
    const [, typed, type] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (help !== undefined) helps.add(help)
    else if (typed !== undefined) types.set(typed, type!)
    else samples.push(sampleOf(line, types))
  }
  const silent = [...types.keys()].filter((name) => !helps.has(name))
  if (silent.length > 0) throw new Error(`without help: ${silent.join(", ")}`)
  return { types, samples }
}

const sampleOf = (line: string, types: ReadonlyMap<string, string>): Sample => {
  const [, name, labels = "", value] = samplePattern.exec(line) ?? []
  if (name === undefined) throw new Error(`not a sample: ${line}`)
  const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "")
  if (!types.has(family) || (family !== name) !== (types.get(family) === "histogram"))
    throw new Error(`of no declared metric: ${line}`)
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key!, text!] as const)
  return { name, labels: Object.fromEntries(pairs), value: value === "+Inf" ? Infinity : Number(value) }
}
