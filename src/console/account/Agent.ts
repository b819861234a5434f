/** The name of a browser, of what it calls itself. Pure. */

/** The first that is found counts: most browsers name others as well. */
const browsers = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Headless)?Chrom(e|ium)\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"]
] as const

const systems = [
  [/\bWindows\b/, "Windows"],
  [/\bAndroid\b/, "Android"],
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"]
] as const

/** Most characters of a name that is not known. */
const nameLengthMax = 40

/** `Firefox on Linux`. */
export const agentName = (agent: string): string => {
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1]
  if (browser === undefined) return agent.slice(0, nameLengthMax).toWellFormed() || "Unknown"
  return system === undefined ? browser : `${browser} on ${system}`
}
