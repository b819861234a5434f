/** Transactions of the writers, each with its changes, and whether it was committed. */

export type TypeId = "dcim.site" | "dcim.region" | "extras.tag" | "extras.webhook"

export interface Kind {
  readonly id: TypeId
  readonly table: string
  readonly path: string
  /** The column by which we know objects of it. */
  readonly key: "slug" | "name"
}

export const site: Kind = { id: "dcim.site", table: "dcim_site", path: "/api/dcim/sites/", key: "slug" }
export const region: Kind = { id: "dcim.region", table: "dcim_region", path: "/api/dcim/regions/", key: "slug" }
export const tag: Kind = { id: "extras.tag", table: "extras_tag", path: "/api/extras/tags/", key: "slug" }
export const webhook: Kind = {
  id: "extras.webhook",
  table: "extras_webhook",
  path: "/api/extras/webhooks/",
  key: "name"
}
export const kinds = [site, region, tag, webhook]

/** One change of a row. Versions count an object's changes from 1; undefined is where there is none. */
export interface Change {
  readonly kind: Kind
  readonly key: string
  readonly from: number | undefined
  readonly to: number | undefined
}

export interface Transaction {
  /** Stands in every row that the transaction wrote, behind the version. */
  readonly label: string
  readonly changes: ReadonlyArray<Change>
  /** Raw messages that it makes in the WAL, about: beyond a window of them one object may have several events. */
  readonly messages: number
  /** The request id that its events must carry, where the writer knows it. */
  requestId?: string | undefined
  /** `doubted`: nobody told the writer how it ended; the table tells afterwards. */
  fate: "committed" | "aborted" | "doubted"
}

/** Description of a row of the version. */
export const stamp = (version: number, label: string): string => `v${version} ${label}`

export const readStamp = (text: unknown): { readonly version: number; readonly label: string } | undefined => {
  const match = /^v(\d+) (\S+)$/.exec(String(text))
  return match === null ? undefined : { version: Number(match[1]), label: match[2]! }
}

/** Beginning of the keys and labels of a seed's writers: seeds that share a world share its tables. */
export const nameIn = (seed: number, name: string): string => `s${seed}-${name}`

/** The seed of a label; undefined for what the world made for all seeds. */
export const seedOf = (label: string): number | undefined => {
  const match = /^s(\d+)-/.exec(label)
  return match === null ? undefined : Number(match[1])
}

export class Committed {
  readonly transactions: Array<Transaction> = []

  add(transaction: Transaction): void {
    this.transactions.push(transaction)
  }

  /** The version of an object after what was committed. */
  versionOf({ id }: Kind, key: string): number | undefined {
    const changes = this.transactions.flatMap(({ fate, changes }) => (fate === "committed" ? changes : []))
    return changes.findLast((change) => change.kind.id === id && change.key === key)?.to
  }

  count(fate: Transaction["fate"]): number {
    return this.transactions.filter((transaction) => transaction.fate === fate).length
  }
}
