export type SchemeRefusal =
  'missing_signature' | 'missing_timestamp' | 'bad_signature' | 'stale_timestamp' | 'not_configured' | 'weak_secret';

/** What a scheme says of a request, in words for its sender that quote no secret. */
export type SchemeVerdict =
  | {
      ok: true;
      /** For the timeline; during a rotation also the field whose secret matched: `hmac-sha256 by signing_secret_next`. */
      scheme: string;
      /** The time of signing as it was signed; null where none was. */
      signedAt: string | null;
    }
  | { ok: false; error: SchemeRefusal; message: string };

export function refuse(error: SchemeRefusal, message: string): SchemeVerdict & { ok: false } {
  return { ok: false, error, message };
}
