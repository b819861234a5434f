/** The authentication of wireless LANs and wireless links. */
import { choice } from "../field/Choice.ts"
import { text } from "../field/Text.ts"

export const authFields = () => ({
  auth_type: choice(
    { open: "Open", wep: "WEP", "wpa-personal": "WPA Personal (PSK)", "wpa-enterprise": "WPA Enterprise" },
    { optional: true }
  ),
  auth_cipher: choice({ auto: "Auto", tkip: "TKIP", aes: "AES" }, { optional: true }),
  auth_psk: text({ max: 64, optional: true, help: "Shown to everyone who may view the object." })
})

export const authGroup = { Authentication: ["auth_type", "auth_cipher", "auth_psk"] }
