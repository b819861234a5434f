/** A table as it is declared. Pure. */
export interface Column {
  readonly name: string
  /** As Postgres' `format_type` spells it. */
  readonly type: string
  readonly nullable: boolean
  readonly default?: string | undefined
}

/** A constraint or trigger by name; a changed definition replaces it. */
export interface Definition {
  readonly name: string
  /** The SQL after the name in `alter table … add constraint`, or in `create trigger`. */
  readonly sql: string
  /** Whether existing rows may break the constraint. */
  readonly sparesOldRows?: boolean
  /** Whether a trigger fires in sessions with the replica role too. */
  readonly always?: boolean
}

export interface Index extends Definition {
  /** The extension that it needs; without it, Postgres scans instead. */
  readonly needs?: Extension | undefined
}

export const extensions = ["pg_trgm", "btree_gin"] as const
type Extension = (typeof extensions)[number]

export interface Table {
  readonly name: string
  /** Whether it is partitioned by the day of its column `time`. */
  readonly daily: boolean
  /**
   * Whether it is unlogged: empty after a crash, and not in the WAL. It has no `id`, only its own unique columns: the
   * promotion of a standby leaves the sequence of an unlogged table unreadable, and no row can be inserted any more.
   */
  readonly unlogged?: boolean
  /** The columns beside `id`, an identity column that every other table has. */
  readonly columns: ReadonlyArray<Column>
  readonly constraints: ReadonlyArray<Definition>
  /** The SQL after the name in `create index … on`, and `unique` for a unique index. */
  readonly indexes: ReadonlyArray<Index & { readonly unique: boolean }>
  readonly triggers: ReadonlyArray<Definition>
  /** A statement that fills it when it is new, from tables of earlier versions. */
  readonly fill?: string | undefined
  /** Whether its changes are read from the WAL: old rows whole, no TRUNCATE. */
  readonly published: boolean
}
