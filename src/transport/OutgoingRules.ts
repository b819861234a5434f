/** The rules for outgoing connections, as the options say: allowed targets, and the proxy. */
import { Effect } from "effect"
import { Settings, reveal } from "../Config.ts"
import { OptionRefused } from "../Setting.ts"
import { readRules } from "./TargetPolicy.ts"
import { type ProxyRules, proxyProblem } from "./Tunnel.ts"

/** The allowed targets. Fails with OptionRefused if an option is not valid. */
export const targetRules = Effect.gen(function* () {
  const { webhookTargetPolicy, webhookAllow, webhookDeny } = yield* Settings
  const rules = readRules(webhookTargetPolicy, webhookAllow, webhookDeny)
  return typeof rules === "string"
    ? yield* new OptionRefused({ message: `WEBHOOK_ALLOW, WEBHOOK_DENY: ${rules}` })
    : rules
})

/** The proxy; undefined where targets are reached directly. Fails with OptionRefused if the option is not valid. */
export const proxyRules = Effect.gen(function* () {
  const { webhookProxy, webhookNoProxy } = yield* Settings
  if (webhookProxy === undefined) return undefined
  const address = reveal(webhookProxy)
  const problem = proxyProblem(address)
  if (problem !== undefined) return yield* new OptionRefused({ message: `WEBHOOK_PROXY ${problem}` })
  return { url: new URL(address), except: webhookNoProxy } satisfies ProxyRules
})
