import { RunLater } from '#libs/queue';
import type { InstalledAdapter } from './installed-apps.js';

export const notReadyCode = 'adapter_unready';

/** What needs an adapter that is not ready waits until its health says otherwise. */
export class AdapterNotReady extends RunLater {
  constructor({ manifest, reason }: InstalledAdapter, delayMs: number) {
    super(delayMs, notReadyCode);
    this.message = `the adapter ${manifest.slug} is not ready (${reason}): this goes on when it is`;
  }
}
