import { RunLater } from '#libs/queue';
import type { InstalledAdapter } from './installed-apps.js';

export const notReadyCode = 'adapter_unready';

export const disabledCode = 'adapter_disabled';

/** Work for an adapter that is not ready waits until its health check passes, or until a person enables it. */
export class AdapterNotReady extends RunLater {
  constructor({ manifest, reason, disabled }: InstalledAdapter, delayMs: number) {
    super(delayMs, disabled ? disabledCode : notReadyCode);
    this.message = disabled
      ? `the adapter ${manifest.slug} is disabled: work continues when it is enabled`
      : `the adapter ${manifest.slug} is not ready (${reason}): work continues when it is`;
  }
}
