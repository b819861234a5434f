/** The passwords that people choose most often, and that are guessed first. */
import { dictionary } from "@zxcvbn-ts/language-common"

const common: ReadonlySet<string> = new Set(dictionary["passwords-common"].map((password) => password.toLowerCase()))

/** Whether the password is one of them, whatever its case. */
export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase())

/** In Django's words, which NetBox' clients know. */
export const tooCommon = "This password is too common."
