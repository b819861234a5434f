/** An index of several fields, or with columns beside them, of some rows, or of blocks of rows. */
export interface CoveringIndex {
  /** The name of a reference's column takes the place of its own index. */
  readonly name: string
  readonly fields: ReadonlyArray<string>
  /** Columns that it holds besides. */
  readonly columns: ReadonlyArray<string>
  /** SQL of the rows that it holds; all if absent. */
  readonly where?: string
  /** For values that grow with the order of writes: a BRIN index of blocks of rows, which costs a write next to nothing. */
  readonly ofBlocks?: boolean
}
