import { expect, it } from "vitest"
import { errorReply } from "../../src/redis/ErrorReply.ts"

it.each([
  // As Redis 6.2.16 replies.
  [
    "ERR Error running script (call to f_7c4d): @user_script:62: NOGROUP No such key 'a' or consumer group 'b' in XREADGROUP",
    "NOGROUP No such key 'a' or consumer group 'b' in XREADGROUP"
  ],
  [
    "ERR Error running script (call to f_e381): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
    "READONLY You can't write against a read only replica."
  ],
  // As Redis 7 replies.
  ["READONLY You can't write against a read only replica.", "READONLY You can't write against a read only replica."],
  ["FENCED by generation 3", "FENCED by generation 3"],
  ["ERR unknown command", "ERR unknown command"]
])("%s begins with its code", (reply, expected) => {
  expect(errorReply(reply)).toBe(expected)
})
