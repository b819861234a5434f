/** Difference between the clock of an issuer and ours that is tolerated, seconds. */
export const skewSeconds = 30
