import type { Capability, Manifest } from '#libs/adapter-sdk';
import type { AppRow } from './app.entity.js';

/**
 * What an App does now: of what it was installed with, that which the manifest in force offers still. What a version
 * withdrew comes back with one that offers it.
 * @param manifest null for the built-in Webhook app
 */
export function capabilitiesOf(
  { capabilities }: Pick<AppRow, 'capabilities'>,
  manifest: Pick<Manifest, 'capabilities'> | null,
): Capability[] {
  return manifest === null ? capabilities : capabilities.filter((one) => manifest.capabilities.includes(one));
}
