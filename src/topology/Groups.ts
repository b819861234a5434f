/** The places of the devices of one group: in layers by how they are connected, the best connected above. Pure. */

/** A device, as far as its place is concerned: indexes of the devices to which it has lines, in the group and beyond. */
export interface Placed {
  readonly near: ReadonlyArray<number>
  /** Lines to devices of other groups. */
  readonly outside: number
}

/** Passes over the layers; each puts the devices of a layer below their neighbours. */
const passesMax = 4

/** Rows of indexes of devices, at most `columns` in a row. The same input gives the same rows. */
export const rowsOfGroup = (devices: ReadonlyArray<Placed>, columns: number): ReadonlyArray<ReadonlyArray<number>> => {
  const layers = ordered(layersOf(devices), devices)
  return layers.flatMap((layer) =>
    Array.from({ length: Math.ceil(layer.length / columns) }, (_, at) => layer.slice(at * columns, (at + 1) * columns))
  )
}

/** Devices by their distance from the best connected one of their part; those without a line in the group are last. */
const layersOf = (devices: ReadonlyArray<Placed>): ReadonlyArray<ReadonlyArray<number>> => {
  const lines = (at: number) => devices[at]!.near.length
  const byLines = devices.map((_, at) => at).sort((a, b) => lines(b) - lines(a) || outsideFirst(devices, a, b))
  const layers: Array<Array<number>> = []
  const known = new Set<number>()
  for (const root of byLines) {
    if (known.has(root) || lines(root) === 0) continue
    known.add(root)
    let layer = [root]
    for (let depth = 0; layer.length > 0; depth++) {
      layers[depth] = [...(layers[depth] ?? []), ...layer]
      const next: Array<number> = []
      for (const other of layer.flatMap((at) => devices[at]!.near)) {
        if (known.has(other)) continue
        known.add(other)
        next.push(other)
      }
      layer = next
    }
  }
  const alone = byLines.filter((at) => !known.has(at))
  return alone.length === 0 ? layers : [...layers, alone]
}

/** Devices with lines to other groups are at the edge, where those lines begin. */
const outsideFirst = (devices: ReadonlyArray<Placed>, a: number, b: number): number =>
  devices[b]!.outside - devices[a]!.outside || a - b

const ordered = (
  layers: ReadonlyArray<ReadonlyArray<number>>,
  devices: ReadonlyArray<Placed>
): ReadonlyArray<ReadonlyArray<number>> => {
  let current = layers
  for (let pass = 0; pass < passesMax; pass++) {
    const places = new Map(current.flatMap((layer) => layer.map((at, n) => [at, n / Math.max(layer.length - 1, 1)])))
    current = current.map((layer) => {
      const wanted = new Map(layer.map((at) => [at, meanOf(devices[at]!.near, places) ?? places.get(at)!]))
      return [...layer].sort((a, b) => wanted.get(a)! - wanted.get(b)! || a - b)
    })
  }
  return current
}

const meanOf = (near: ReadonlyArray<number>, places: ReadonlyMap<number | undefined, number | undefined>) =>
  near.length === 0 ? undefined : near.reduce((sum, at) => sum + places.get(at)!, 0) / near.length
