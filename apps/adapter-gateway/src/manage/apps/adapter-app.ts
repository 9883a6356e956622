import type { Capability } from '#libs/adapter-sdk';
import { Problem } from '#libs/service-kit';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import type { InstallApp } from './app.dto.js';
import { namedForDirection } from './direction.js';

/**
 * The fields that an App takes from its adapter.
 * @throws Problem 422 `skill_only | signature_not_applicable | capability_not_offered`
 */
export function adapterApp(
  adapter: AdapterRow,
  body: InstallApp,
): Pick<AppRow, 'name' | 'adapter_id' | 'provider' | 'capabilities'> {
  if (adapter.base_url === null) {
    throw new Problem(
      422,
      'skill_only',
      `${adapter.slug} is a skill without an adapter: it cannot be installed as an App.`,
    );
  }
  if (body.signature) {
    const detail = "The manifest declares how requests to an adapter's App are signed: leave signature out.";
    throw new Problem(422, 'signature_not_applicable', detail);
  }
  const wanted = offered(adapter, body.capabilities ?? adapter.manifest.capabilities);
  return {
    name: namedForDirection(body.name, wanted),
    adapter_id: adapter.id,
    provider: adapter.slug,
    capabilities: wanted,
  };
}

/** @throws Problem 422 `capability_not_offered` where the manifest in force offers less than is wanted */
export function offered({ slug, manifest }: AdapterRow, wanted: Capability[]): Capability[] {
  const missing = wanted.filter((capability) => !manifest.capabilities.includes(capability));
  if (missing.length === 0) return [...new Set(wanted)];
  const offer = manifest.capabilities.join(', ') || 'nothing';
  throw new Problem(422, 'capability_not_offered', `${slug} does not offer ${missing.join(', ')}. It offers ${offer}.`);
}
