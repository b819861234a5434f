/** Signs a body and posts it, as every contender does. */
import { createHmac } from "node:crypto"
import { Agent, request } from "undici"

export const post = (url, secret, connections) => {
  const agent = new Agent({ connections })
  return async (text) => {
    const started = Date.now()
    const body = Buffer.from(text)
    const headers = {
      "content-type": "application/json",
      "x-hook-signature": createHmac("sha512", secret).update(body).digest("hex")
    }
    const answer = await request(url, { method: "POST", body, headers, dispatcher: agent })
    const response = await answer.body.text()
    const millis = Date.now() - started
    return { status: answer.statusCode, url, headers, answered: answer.headers, response, started, millis }
  }
}
