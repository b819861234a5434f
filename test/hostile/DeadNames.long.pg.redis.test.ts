/**
 * A webhook with a new name for each object, whose name server is silent: others' names are resolved meanwhile. The
 * service runs as a process, because it needs a name server of its own.
 */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { mayServeNames, startNameServer } from "../support/NameServer.ts"
import { startReceiver } from "../support/Receiver.ts"

const script = fileURLToPath(new URL("../support/serveNames.mjs", import.meta.url))

describe.skipIf(!(await mayServeNames()))("a webhook with many dead names", () => {
  it("takes few lookups, and those of another webhook do not wait for them", async () => {
    const names = await startNameServer(new Set(["live.example"]))
    const api = await startApiProcess({ RESOLV_CONF: names.resolvConf }, { script })
    const receiver = await startReceiver()
    onTestFinished(async () => {
      await api.stop()
      await receiver.close()
      names.close()
    })
    const hook = (name: string, type: string, url: string) =>
      api.make("extras/webhooks", { name, content_types: [type], type_create: true, payload_url: url })
    await hook("dead", "dcim.site", "http://{{ data.slug }}.example/")
    await hook("live", "extras.tag", receiver.url.replace("127.0.0.1", "live.example"))
    const sites = Array.from({ length: 64 }, (_, at) => ({ ...named(`Dead ${at}`), slug: `dead-${at}` }))
    await api.make("dcim/sites", sites)
    await expect.poll(() => names.asked.length).toBeGreaterThan(0)
    await api.make("extras/tags", named("Live"))
    await receiver.until(() => true, "the other webhook's event")
    const before = names.asked.slice(0, names.asked.indexOf("live.example"))
    // 32 attempts were under way, and only a few of them had begun their lookups.
    expect(new Set(before.filter((name) => name.startsWith("dead-"))).size).toBeLessThan(16)
    // libuv has threads for more.
    expect(readdirSync(`/proc/${api.service.process.pid}/task`).length).toBeGreaterThan(64)
  })
})
