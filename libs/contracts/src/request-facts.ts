/** What filters may read of the request that a message came by. Secrets and proofs of the sender are left out. */
export interface RequestFacts {
  /** By lower-case name; several values are joined with a comma and a space. */
  headers: Record<string, string>;
  query: Record<string, string>;
}

/** Headers, query parameters and fields whose value grants access. */
const secretName =
  /authorization|cookie|secret|token|passw|pwd|credential|private|session|assertion|client[-_]?cert|^x-goog-channel-|^proxy-auth|(?:^|[-_.])(?:auth(?!or)|(?:jwt|otp|pin)(?:$|[-_.]))|^(?:key|code|pass)$|(?:api|access|shared|webhook|hook|functions?|master|account|subscription|client|app|service|auth|signing|encryption)[-_]?key/i;
/** Proof of the sender: the whole would allow a replay. */
const proofName = /signature|^x-hub-|hmac|digest|(?:^|[-_.])(?:sig|sign|mac)(?:$|[-_.])/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

export function isProofName(name: string): boolean {
  return proofName.test(name);
}
