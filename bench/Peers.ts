/** Peers are packages of their own folder, installed by the first benchmark that needs them. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"

const folder = new URL("./peers/", import.meta.url)

export const installPeers = (): void => {
  if (existsSync(new URL("node_modules", folder))) return
  // Without a lock file: one of them lists platform packages that cannot be resolved, which `npm ci` refuses.
  const args = ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
  execFileSync("npm", args, { cwd: folder, stdio: "inherit" })
}
