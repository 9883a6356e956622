/**
 * Joins parts unambiguously. Each part is preceded by its length in bytes (4 bytes, big-endian), so that ("ab","c") and
 * ("a","bc") differ.
 */
export function associatedData(parts: readonly (string | number)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(String(part), 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** The associated data of a wrapped data key: it opens for no other credential and under no other key name. */
export function dekPlace(kid: string, { organizationId, credentialId }: DekOwner): Buffer {
  return associatedData(['vault-dek', 'v1', kid, organizationId, credentialId]);
}

export interface DekOwner {
  organizationId: string;
  credentialId: string;
}
