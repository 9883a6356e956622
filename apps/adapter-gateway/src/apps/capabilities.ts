import type { Capability, Manifest } from '#libs/adapter-sdk';
import { PermanentFailure } from '#libs/queue';
import type { AppRow } from '../entities/app.entity.js';

export interface InstalledApp {
  app: AppRow;
  /** Null for the built-in Webhook app. */
  adapter: InstalledAdapter | null;
}

export interface InstalledAdapter {
  id: string;
  baseUrl: string;
  manifest: Manifest;
  /** A person took it out of use. */
  disabled: boolean;
}

/**
 * What an App can do now: the capabilities it was installed with that the manifest in force still offers. A withdrawn
 * one comes back with a version that offers it.
 * @param manifest null for the built-in Webhook app
 */
export function capabilitiesOf(
  { capabilities }: Pick<AppRow, 'capabilities'>,
  manifest: Pick<Manifest, 'capabilities'> | null,
): Capability[] {
  return manifest === null ? capabilities : capabilities.filter((one) => manifest.capabilities.includes(one));
}

/** @throws PermanentFailure `receive_withdrawn` for what came before the manifest in force stopped offering it */
export function requireReceiving({ app, adapter }: InstalledApp): void {
  if (!adapter || capabilitiesOf(app, adapter.manifest).includes('receive')) return;
  const help = 'put one in force that does, then replay';
  const { slug } = adapter.manifest;
  throw new PermanentFailure('receive_withdrawn', `the manifest in force of ${slug} no longer offers receive: ${help}`);
}
