import { remoteJwtKeys, type JwtKeys, type ProviderHttp } from '#libs/adapter-sdk';

const MAX_KEY_SET_BYTES = 256 * 1024;

/** A provider's signing keys, fetched through the egress guard and kept in memory. */
export function providerKeys(url: string, http: ProviderHttp): JwtKeys {
  return remoteJwtKeys(url, {
    fetch: async (address) => {
      const answer = await http.fetch(address, {
        headers: { accept: 'application/json' },
        timeoutMs: http.timeoutMs,
        maxResponseBytes: MAX_KEY_SET_BYTES,
        onTooLarge: 'fail',
        maxRedirects: 0,
      });
      return new Response(new Uint8Array(answer.body), { status: answer.status });
    },
  });
}
