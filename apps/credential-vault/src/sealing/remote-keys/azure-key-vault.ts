import type { TokenCredential } from '@azure/identity';
import type { CryptographyClientOptions } from '@azure/keyvault-keys';
import { createHash, timingSafeEqual } from 'node:crypto';
import { DoesNotOpen } from '../aead.js';
import type { RemoteCalls } from './remote-key.js';

export interface AzureKeyVaultKey {
  /** `https://<vault>.vault.azure.net/keys/<name>`, an RSA key, without a version: the newest one wraps. */
  key_id: string;
}

const algorithm = 'RSA-OAEP-256';
const hashBytes = 32;

/**
 * Azure Key Vault, with `DefaultAzureCredential` (workload identity, environment, managed identity). Its keys are RSA
 * and take no associated data, so the hash of the place is wrapped in front of the data key. A wrapped key opens only
 * with the key version that wrapped it, which is stored in front: `length (1) || version || wrapped`.
 * @see https://learn.microsoft.com/rest/api/keyvault/keys/wrap-key/wrap-key
 */
export async function azureKeyVault(
  { key_id: keyId }: AzureKeyVaultKey,
  given?: { credential: TokenCredential; options: CryptographyClientOptions },
): Promise<RemoteCalls> {
  const { CryptographyClient } = await import('@azure/keyvault-keys');
  const credential = given?.credential ?? new (await import('@azure/identity')).DefaultAzureCredential();
  const clientOf = (id: string) => new CryptographyClient(id, credential, given?.options);
  const newest = clientOf(keyId);
  const byVersion = new Map<string, ReturnType<typeof clientOf>>();
  const versionOf = (version: string): ReturnType<typeof clientOf> => {
    const client = byVersion.get(version) ?? clientOf(`${keyId}/${version}`);
    byVersion.set(version, client);
    return client;
  };
  const hashOf = (aad: Buffer) => createHash('sha256').update(aad).digest();
  return {
    async wrap(plain, aad) {
      const { result, keyID } = await newest.wrapKey(algorithm, Buffer.concat([hashOf(aad), plain]));
      const version = Buffer.from(keyID?.split('/').at(-1) ?? '', 'latin1');
      if (version.length === 0 || version.length > 255) throw new Error(`no version in the key's id ${keyID}`);
      return Buffer.concat([Buffer.of(version.length), version, result]);
    },
    async unwrap(wrapped, aad) {
      const length = wrapped[0] ?? 0;
      const version = wrapped.subarray(1, 1 + length).toString('latin1');
      if (!/^[0-9a-zA-Z]+$/.test(version)) throw new DoesNotOpen();
      const { result } = await versionOf(version).unwrapKey(algorithm, wrapped.subarray(1 + length));
      const opened = Buffer.from(result);
      const isOfPlace = opened.length > hashBytes && timingSafeEqual(opened.subarray(0, hashBytes), hashOf(aad));
      if (!isOfPlace) throw new DoesNotOpen();
      return opened.subarray(hashBytes);
    },
    isRefusalToOpen: (error) => (error as { code?: unknown }).code === 'BadParameter',
  };
}
