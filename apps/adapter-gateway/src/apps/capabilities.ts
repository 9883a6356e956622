import type { Capability, Manifest } from '#libs/adapter-sdk';
import { PermanentFailure } from '#libs/queue';
import type { AppRow } from './app.entity.js';
import type { InstalledApp } from './installed-apps.js';

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

/** @throws PermanentFailure `receive_withdrawn` for what came before the manifest in force stopped to offer it */
export function requireReceiving({ app, adapter }: InstalledApp): void {
  if (!adapter || capabilitiesOf(app, adapter.manifest).includes('receive')) return;
  const help = 'put one in force that does, then replay';
  const { slug } = adapter.manifest;
  throw new PermanentFailure('receive_withdrawn', `the manifest in force of ${slug} offers receive no more: ${help}`);
}
