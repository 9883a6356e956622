import type { Manifest } from '#libs/adapter-sdk';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { type AdapterCallContext, AdapterClient } from './adapter-client.js';
import { readManifest } from './manifest.js';

/** Reads the manifest that an adapter serves. */
@Injectable()
export class ManifestFetch {
  constructor(private readonly client: AdapterClient) {}

  /** @throws Problem 422 `adapter_unreachable | invalid_manifest | slug_mismatch` (with the last segment of the URL) */
  async from(caller: AdapterCallContext, baseUrl: string): Promise<Manifest> {
    const value = await this.client
      .get<Record<string, unknown>>(baseUrl, '/manifest.json', caller)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        const help = reason.endsWith('blocked_address') ? ' (not public: add it to GATEHOUSE_EGRESS_ALLOW)' : '';
        throw new Problem(422, 'adapter_unreachable', `No manifest at ${baseUrl}/manifest.json: ${reason}${help}`);
      });
    const manifest = readManifest(value, 'adapter');
    const mount = new URL(baseUrl).pathname.split('/').at(-1);
    if (mount !== manifest.slug) {
      const said = `The slug ${manifest.slug} is not the path the adapter is mounted under.`;
      throw new Problem(422, 'slug_mismatch', said);
    }
    return manifest;
  }
}
