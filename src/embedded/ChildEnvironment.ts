/** The part of our environment that other programs get. The rest may be secret: it has passwords and tokens. */
import { inheritedEnvironment } from "../Environment.ts"

const common = /^(PATH|HOME|LANG|LC_[A-Z]+|TMPDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH)$/

const downloading = /^((https?|no|all)_proxy|XDG_CACHE_HOME)$/i

const pick = (...patterns: ReadonlyArray<RegExp>): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(inheritedEnvironment()).filter(([name]) => patterns.some((pattern) => pattern.test(name)))
  )

/** For embedded servers and their watchdogs. */
export const serverEnvironment = (): NodeJS.ProcessEnv => pick(common)

/** For programs that download into a cache, maybe through a proxy. */
export const downloadEnvironment = (): NodeJS.ProcessEnv => pick(common, downloading)
