/** The options of requests from scripts of other sites, by NetBox's names: environment name, type, default, description. */
import * as kind from "./Setting.ts"
import { setting } from "./Setting.ts"

export const corsOptions = {
  corsOrigins: setting(
    "CORS_ORIGIN_WHITELIST",
    kind.list,
    [],
    "Origins whose scripts may use the API with a token, comma-separated: `https://portal.example.org`. Cookies never count for them.",
    ""
  ),
  corsPatterns: setting(
    "CORS_ORIGIN_REGEX_WHITELIST",
    kind.list,
    [],
    "Regular expressions for such origins, comma-separated. Each has to match a whole origin, and must not contain a comma.",
    ""
  ),
  corsAll: setting(
    "CORS_ORIGIN_ALLOW_ALL",
    kind.yesOrNo,
    false,
    "Whether scripts of every origin may use the API with a token."
  )
} as const
