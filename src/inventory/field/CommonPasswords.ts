/** The most common passwords, which attackers guess first. */
import { dictionary } from "@zxcvbn-ts/language-common"

const common: ReadonlySet<string> = new Set(dictionary["passwords-common"].map((password) => password.toLowerCase()))

/** Whether the password is one of them; ignores case. */
export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase())

/** Django's message, which NetBox' clients know. */
export const tooCommon = "This password is too common."
