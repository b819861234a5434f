/** The foundation of every role and most commands: servers, Postgres, Redis, and the tables of all stages. */
import { Effect, Layer } from "effect"
import { SqlError } from "effect/sql"
import { Settings } from "../Config.ts"
import { grammarsLayer } from "../webhook/Grammars.ts"
import { Postgres } from "../postgres/Postgres.ts"
import { Installation } from "../redis/Installation.ts"
import { Redis } from "../redis/Redis.ts"
import { Telemetry } from "../telemetry/Telemetry.ts"
import { imageTable } from "../inventory/image/ImageTable.ts"
import { keyTable } from "../inventory/Reseal.ts"
import { Vault } from "../inventory/Vault.ts"
import { sessionTable } from "../auth/Session.ts"
import { directoryGrantTable } from "../auth/directory/DirectoryGroups.ts"
import { totpTable } from "../auth/factor/Factors.ts"
import { passkeyTable } from "../auth/factor/passkey/Passkeys.ts"
import { recoveryCodeTable } from "../auth/factor/RecoveryCode.ts"
import { identityTable } from "../auth/directory/Account.ts"
import { exchangedTokenTable } from "../auth/exchange/ExchangedTokens.ts"
import { providerSessionTable } from "../auth/oidc/ProviderSession.ts"
import { usedValueTable } from "../auth/UsedOnce.ts"
import { userConfigTable } from "../auth/user/UserConfig.ts"
import { leaderTable } from "../capture/slot/Leadership.ts"
import { setAsideTable } from "../capture/SetAside.ts"
import { epochTable } from "../capture/slot/Epoch.ts"
import { gapTable } from "../capture/slot/Gaps.ts"
import { breakerTable } from "../log/BreakerTable.ts"
import { attemptTable } from "../log/AttemptRows.ts"
import { trafficTable } from "../log/Traffic.ts"
import { Servers } from "../embedded/Servers.ts"
import { backlogTable } from "../log/BacklogTable.ts"
import { sendingTable } from "../requests/Sending.ts"
import { reconciledTable } from "../queue/reconcile/ReconciledRedis.ts"
import { sourceChangeTable, sourceStateTable } from "../source/state/SourceState.ts"
import { watermarkTable } from "../queue/reconcile/Watermarks.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { migrate } from "../postgres/migrate/Migrate.ts"
import { presenceTable } from "../postgres/Presence.ts"
import { Counts } from "../inventory/read/Count.ts"
import { movedTable } from "../move/state/Moved.ts"
import { renumberedTable } from "../move/state/Renumbered.ts"
import { runTable } from "../move/state/Runs.ts"
import { versionTable } from "../match/WebhookVersions.ts"
import { Templates } from "../template/Template.ts"
import { functions } from "../inventory/derive/table/DatabaseFunctions.ts"
import { tableOf } from "../inventory/derive/table/TableOf.ts"
import { registry } from "../inventory/Registry.ts"
import type { Table } from "../postgres/migrate/Table.ts"

export const servers = Servers.layer.pipe(Layer.provideMerge(Telemetry.layer), Layer.provideMerge(Settings.layer))

/** Postgres, and the services that reading and writing objects need. */
export const database = Layer.mergeAll(Postgres.layer, Vault.layer, Clearance.unrestricted, Counts.layer).pipe(
  Layer.provideMerge(servers)
)

const grammars = grammarsLayer.pipe(Layer.provideMerge(Templates.layer))
const redis = Redis.layer.pipe(Layer.provide(Installation.layer))
export const foundation = Layer.mergeAll(grammars, redis).pipe(Layer.provideMerge(database))

/** The foundation for commands that examine servers which may be away. */
export const foundationOfAny = Layer.mergeAll(grammars, Redis.layer.pipe(Layer.provide(Installation.orUnknown))).pipe(
  Layer.provideMerge(database)
)

const stageTables: ReadonlyArray<Table> = [
  presenceTable,
  sessionTable,
  userConfigTable,
  totpTable,
  recoveryCodeTable,
  passkeyTable,
  directoryGrantTable,
  identityTable,
  exchangedTokenTable,
  providerSessionTable,
  usedValueTable,
  keyTable,
  imageTable,
  epochTable,
  leaderTable,
  setAsideTable,
  gapTable,
  versionTable,
  watermarkTable,
  reconciledTable,
  attemptTable,
  trafficTable,
  movedTable,
  renumberedTable,
  runTable,
  breakerTable,
  backlogTable,
  sendingTable,
  sourceStateTable,
  sourceChangeTable
]

/** Most repetitions of a migration whose connection was lost: nothing of it was written. */
const migrationsMax = 3

export const migrateAll = migrate({
  functions,
  tables: [...Array.from(registry.values(), tableOf), ...stageTables]
}).pipe(
  Effect.retry({
    while: (error) => SqlError.isSqlError(error) && error.reason._tag === "ConnectionError",
    times: migrationsMax
  }),
  Effect.provide(Postgres.patient)
)
