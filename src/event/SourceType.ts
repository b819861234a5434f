/**
 * The ids of object types of a source (an attached NetBox): `3:dcim.site` are the sites of the source 3. So no name of
 * the inventory means an object of a source, and no event of a source is taken for a change of the inventory.
 */

export interface SourceType {
  /** Id of the source. */
  readonly source: number
  /** `dcim.site`, as the source names it. */
  readonly type: string
}

export const sourceTypeId = ({ source, type }: SourceType): string => `${source}:${type}`

/** The source and the type there; undefined for a type of the inventory. */
export const sourceTypeOf = (id: string): SourceType | undefined => {
  const [, source, type] = /^([1-9]\d{0,14}):(.+)$/s.exec(id) ?? []
  return type === undefined ? undefined : { source: Number(source), type }
}

/** The name of the type alone: `dcim.site`. */
export const bareType = (id: string): string => sourceTypeOf(id)?.type ?? id
