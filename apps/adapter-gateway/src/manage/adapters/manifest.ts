import { type Manifest, manifestProblems } from '#libs/adapter-sdk';
import type { ProjectScope } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AdapterClient } from '../../path/adapters/adapter-client.js';

/**
 * Checks a manifest (spec 2.1, 2.2). Unknown fields are kept and ignored.
 * @param kind `skill` for a manifest without an adapter: it needs a skill, and capabilities do not apply
 * @throws Problem 422 `invalid_manifest`, field by field
 */
export function readManifest(given: Record<string, unknown>, kind: 'adapter' | 'skill'): Manifest {
  const value = kind === 'skill' ? { credentials: [], ...given, capabilities: [] } : given;
  const errors = manifestProblems(value);
  if (kind === 'skill' && value['skill'] === undefined) {
    errors.push({ field: 'skill', message: 'must be there when there is no adapter' });
  }
  if (errors.length > 0) throw new Problem(422, 'invalid_manifest', 'The manifest is not valid.', errors);
  return value as object as Manifest;
}

/** Reads the manifest that an adapter serves. */
@Injectable()
export class ManifestFetch {
  constructor(private readonly client: AdapterClient) {}

  /** @throws Problem 422 `adapter_unreachable | invalid_manifest | slug_mismatch` (with the last segment of the URL) */
  async from(caller: ProjectScope, baseUrl: string): Promise<Manifest> {
    const value = await this.client
      .get<Record<string, unknown>>(baseUrl, '/manifest.json', caller)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Problem(422, 'adapter_unreachable', `No manifest at ${baseUrl}/manifest.json: ${reason}`);
      });
    const manifest = readManifest(value, 'adapter');
    const mount = new URL(baseUrl).pathname.split('/').at(-1);
    if (mount !== manifest.slug) {
      const detail = `The slug ${manifest.slug} is not the path the adapter is mounted under.`;
      throw new Problem(422, 'slug_mismatch', detail);
    }
    return manifest;
  }
}
