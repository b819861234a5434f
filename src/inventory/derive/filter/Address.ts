/** Addresses in filters: how they are written, and the SQL that compares them. */
import { isIP } from "node:net"
import type { Bind } from "./Where.ts"

export const wrongAddress = "Enter a valid IPv4 or IPv6 address, with or without a mask."

/** The text as Postgres reads it as an address with or without a mask; undefined where it does not. */
export const addressOf = (text: string): string | undefined => {
  const [host = "", mask, ...rest] = text.trim().split("/")
  const family = host.includes("%") ? 0 : isIP(host)
  if (family === 0 || rest.length > 0) return undefined
  if (mask === undefined) return host
  return /^\d{1,3}$/.test(mask) && Number(mask) <= (family === 4 ? 32 : 128) ? `${host}/${mask}` : undefined
}

/** SQL of an address without its mask, as the index on it spells it. */
export const hostOf = (sql: string): string => `(host(${sql})::inet)`

export const sameAddress = (sql: string, type: string, value: string, bind: Bind): string =>
  `${type === "inet" && !value.includes("/") ? hostOf(sql) : sql} = ${bind(value)}::inet`
