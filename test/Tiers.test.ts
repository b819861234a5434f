/** The rules of the three tiers, as tests (CONTRIBUTING.md, Tests). */
import { readFileSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("./", import.meta.url))
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"))
const read = (file: string): string => readFileSync(join(root, file), "utf8")

const isLong = (file: string): boolean => file.includes(".long.")

/** Long files without a test of the same name in the first two tiers, and the test that stands in for them. */
const siblings: Readonly<Record<string, string>> = {
  "hostile/Receivers.long.pg.redis.test.ts": "deliver/InFlight.test.ts",
  "console/EveryType.long.browser.test.ts": "console/Forms.gate.browser.test.ts",
  "console/EveryForm.long.browser.test.ts": "console/Console.gate.browser.test.ts",
  "console/EveryPage.long.browser.test.ts": "console/Console.gate.browser.test.ts",
  "documents/Operating.long.pg.redis.test.ts": "pipeline/Takeover.gate.pg.redis.test.ts",
  "embedded/DiskFull.long.pg.redis.test.ts": "pipeline/Ready.gate.pg.redis.test.ts",
  "pipeline/Cluster.long.pg.redis.test.ts": "queue/Cluster.gate.redis.test.ts",
  "pipeline/KilledRedis.long.pg.redis.test.ts": "pipeline/RestartedRedis.gate.pg.redis.test.ts",
  "pipeline/NewType.long.pg.redis.test.ts": "http/Created.pg.redis.test.ts",
  "pipeline/Restored.long.pg.redis.test.ts": "pipeline/Takeover.gate.pg.redis.test.ts",
  "capture/Refused.long.pg.redis.test.ts": "command/Check.gate.pg.redis.test.ts",
  "postgres/Standby.long.pg.test.ts": "postgres/Hosts.gate.pg.test.ts",
  "postgres/Pooler.long.pg.redis.test.ts": "postgres/ServerFacts.test.ts",
  "postgres/Socket.long.pg.test.ts": "postgres/PostgresUrl.test.ts",
  "failover/BehindStandby.long.pg.redis.test.ts": "postgres/Hosts.gate.pg.test.ts",
  "failover/Scenes.long.pg.redis.test.ts": "redis/Sentinel.gate.redis.test.ts",
  "postgres/PgUpgrade.long.pg.redis.test.ts": "pipeline/Gaps.gate.pg.redis.test.ts",
  "template/AttackTimes.long.test.ts": "template/Attacks.gate.test.ts",
  "pipeline/Sentinel.long.pg.redis.test.ts": "redis/Sentinel.gate.redis.test.ts",
  "hostile/Images.long.pg.redis.test.ts": "http/ImageAttachments.gate.pg.redis.test.ts",
  "move/Demo.long.pg.test.ts": "move/Move.gate.pg.test.ts",
  "upgrade/Rolling.long.pg.redis.test.ts": "upgrade/Upgrade.gate.pg.redis.test.ts",
  "http/PynetboxTypes.long.pg.redis.test.ts": "http/Pynetbox.pg.redis.test.ts",
  "console/RestoreDeleted.long.pg.redis.test.ts": "console/DeleteAndRestore.gate.browser.test.ts",
  "pipeline/Explain.long.pg.redis.test.ts": "pipeline/Journeys.pg.redis.test.ts",
  "auth/Visibility.long.pg.redis.test.ts": "auth/TwoWorlds.gate.pg.redis.test.ts",
  "pipeline/KeyLease.long.pg.redis.test.ts": "pipeline/RedisStart.gate.pg.redis.test.ts",
  "embedded/DamagedFiles.long.pg.redis.test.ts": "embedded/ForeignDirectory.gate.test.ts",
  "http/Exports.long.pg.redis.test.ts": "http/Created.pg.redis.test.ts",
  "console/Markup.long.pg.redis.test.ts": "console/Console.gate.browser.test.ts",
  "console/SourceEvents.long.pg.redis.test.ts": "console/Sources.gate.browser.test.ts",
  "documents/Netbox.long.pg.redis.test.ts": "documents/Recipes.gate.pg.redis.test.ts",
  "source/LongStates.long.pg.redis.test.ts": "source/Stream.pg.redis.test.ts",
  "console/PatchPanel.long.browser.test.ts": "console/DevicePage.gate.browser.test.ts",
  "console/DeviceTypeImages.long.browser.test.ts": "http/DeviceTypeImages.gate.pg.redis.test.ts",
  "console/OpenBreaker.long.browser.test.ts": "deliver/OpenBreaker.pg.redis.test.ts",
  "console/WaitingInBulk.long.browser.test.ts": "deliver/WaitingInBulk.gate.pg.redis.test.ts",
  "hostile/DeadNames.long.pg.redis.test.ts": "transport/Lookups.test.ts",
  "console/PlatformJobs.long.browser.test.ts": "console/Jobs.gate.browser.test.ts",
  "console/PickersElsewhere.long.browser.test.ts": "console/Pickers.gate.browser.test.ts",
  "console/WrongField.long.browser.test.ts": "console/Forms.gate.browser.test.ts",
  "pipeline/SharedRedis.long.pg.redis.test.ts": "pipeline/RedisStart.gate.pg.redis.test.ts",
  "command/ServeWaits.long.pg.redis.test.ts": "command/Check.gate.pg.redis.test.ts",
  "console/WebhookIdentity.long.browser.test.ts": "webhook/Identity.gate.pg.redis.test.ts",
  "pipeline/OtherSchema.long.pg.redis.test.ts": "pipeline/Schema.pg.redis.test.ts",
  "pipeline/FormerKeys.long.pg.redis.test.ts": "upgrade/Upgrade.gate.pg.redis.test.ts",
  "auth/oidc/Tls.long.pg.redis.test.ts": "auth/oidc/Attacks.gate.pg.redis.test.ts",
  "move/Hostile.long.pg.test.ts": "move/Move.gate.pg.test.ts",
  "auth/ldap/LdapSignIn.long.browser.test.ts": "auth/ldap/Ldap.gate.pg.redis.test.ts",
  "console/SystemOutage.long.pg.redis.test.ts": "console/System.gate.browser.test.ts",
  "console/DeletePreview.long.pg.redis.test.ts": "console/DeleteAndRestore.gate.browser.test.ts",
  "console/SourcePages.long.browser.test.ts": "console/Sources.gate.browser.test.ts",
  "hostile/ProcessLimits.long.pg.redis.test.ts": "http/Connections.gate.pg.redis.test.ts",
  "console/PanelStatements.long.pg.redis.test.ts": "console/DevicePage.gate.browser.test.ts",
  "telemetry/Traces.long.pg.redis.test.ts": "http/Traces.gate.pg.redis.test.ts",
  "telemetry/Logs.long.pg.redis.test.ts": "telemetry/Telemetry.test.ts",
  "hostile/DeepRows.long.pg.redis.test.ts": "hostile/OddValues.gate.pg.redis.test.ts",
  "hostile/Fuzz.long.pg.redis.test.ts": "http/BadInput.gate.pg.redis.test.ts",
  "auth/Hostile.long.pg.redis.test.ts": "auth/Authenticate.pg.redis.test.ts",
  "auth/ldap/LdapSync.long.pg.redis.test.ts": "auth/directory/DirectoryGroups.gate.pg.redis.test.ts",
  "auth/ldap/ActiveDirectory.long.pg.redis.test.ts": "auth/ldap/Ldap.gate.pg.redis.test.ts",
  "move/Continue.long.pg.test.ts": "move/Again.gate.pg.test.ts",
  "move/api/Move.long.pg.redis.test.ts": "move/api/Releases.gate.pg.test.ts",
  "move/DeviceTypeImages.long.pg.test.ts": "move/Images.gate.pg.test.ts",
  "console/Frame.long.browser.test.ts": "console/Live.gate.browser.test.ts",
  "console/Passkeys.long.browser.test.ts": "console/SecondFactor.gate.browser.test.ts",
  "console/Moves.long.browser.test.ts": "console/Racks.gate.browser.test.ts",
  "console/MoveRuns.long.browser.test.ts": "http/Moves.pg.redis.test.ts",
  "console/Topology.long.browser.test.ts": "topology/Devices.gate.pg.redis.test.ts",
  "pipeline/Frozen.long.pg.redis.test.ts": "redis/Connection.gate.redis.test.ts",
  "package/Package.long.pg.redis.test.ts": "structure/OneFile.test.ts",
  "telemetry/Metrics.long.pg.redis.test.ts": "telemetry/Page.test.ts",
  "http/PutBack.long.pg.redis.test.ts": "http/Created.pg.redis.test.ts",
  "inventory/cable/GeneratedNets.long.pg.test.ts": "inventory/cable/Paths.pg.test.ts",
  "pipeline/FastStop.long.pg.redis.test.ts": "pipeline/Takeover.gate.pg.redis.test.ts",
  "pipeline/Types.long.pg.redis.test.ts": "http/Created.pg.redis.test.ts",
  "deliver/ManyWebhooks.long.pg.redis.test.ts": "deliver/FairShare.test.ts",
  "http/LargeAnswers.long.pg.redis.test.ts": "http/Connections.gate.pg.redis.test.ts",
  "auth/Secrets.long.pg.redis.test.ts": "auth/HeaderSecrets.gate.pg.redis.test.ts",
  "console/SignIns.long.browser.test.ts": "auth/audit/SignIns.gate.pg.redis.test.ts",
  "pipeline/MemoryBudget.long.pg.redis.test.ts": "pipeline/Ready.gate.pg.redis.test.ts",
  "pipeline/ScopeVisible.long.pg.redis.test.ts": "pipeline/Scope.gate.pg.redis.test.ts",
  "embedded/Servers.long.pg.redis.test.ts": "embedded/ForeignDirectory.gate.test.ts",
  "console/InPlace.long.browser.test.ts": "console/Lists.gate.browser.test.ts",
  "auth/oidc/SignIn.long.browser.test.ts": "auth/oidc/RealProvider.gate.pg.redis.test.ts",
  "console/Look.long.browser.test.ts": "console/Console.gate.browser.test.ts",
  "source/Restored.long.pg.redis.test.ts": "source/Stream.pg.redis.test.ts",
  "console/Administration.long.browser.test.ts": "auth/Permission.pg.redis.test.ts",
  "console/Why.long.browser.test.ts": "pipeline/Journeys.pg.redis.test.ts",
  "console/Preview.long.browser.test.ts": "console/Forms.gate.browser.test.ts",
  "console/Conflict.long.browser.test.ts": "console/Forms.gate.browser.test.ts",
  "console/BulkEdit.long.browser.test.ts": "console/Bulk.gate.browser.test.ts"
}

const stem = (file: string): string => join(dirname(file), file.slice(dirname(file).length).split(".")[0]!)

describe("a test file", () => {
  it("that starts a process says why in its first comment", () => {
    const silent = files.filter((file) => {
      const text = read(file)
      return /\bstart(Api)?Process\(/.test(text) && !/process/i.test(text.split("*/")[0]!)
    })
    expect(silent).toEqual([])
  })

  it("of the first two tiers asserts no upper bound of elapsed time", () => {
    const measured = /(performance\.now\(\)|Date\.now\(\)|cpuUsage\(\)?|[mM]illis)[^\n]*\)\.toBeLessThan(OrEqual)?\(/
    const wrong = files
      .filter((file) => !isLong(file))
      .flatMap((file) =>
        read(file)
          .split("\n")
          .flatMap((line, at) => (measured.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : []))
      )
    expect(wrong).toEqual([])
  })

  it("of the long tier has a smaller sibling in the first two", () => {
    const others = new Set(files.filter((file) => !isLong(file)))
    const stems = new Set(Array.from(others, stem))
    const alone = files.filter((file) => isLong(file) && !stems.has(stem(file)) && !others.has(siblings[file] ?? ""))
    expect(alone).toEqual([])
  })
})
