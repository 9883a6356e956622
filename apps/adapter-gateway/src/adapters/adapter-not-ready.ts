import { RunLater } from '#libs/queue';

export const notReadyCode = 'adapter_unready';

export const disabledCode = 'adapter_disabled';

/** An adapter that may not be called now. */
export interface NotReady {
  slug: string;
  /** What the last health check said; null for one that a person disabled. */
  reason: string | null;
  disabled: boolean;
}

/** Work for an adapter that is not ready waits until its health check passes, or until a person enables it. */
export class AdapterNotReady extends RunLater {
  constructor({ slug, reason, disabled }: NotReady, delayMs: number) {
    super(delayMs, disabled ? disabledCode : notReadyCode);
    this.message = disabled
      ? `the adapter ${slug} is disabled: work continues when it is enabled`
      : `the adapter ${slug} is not ready (${reason}): work continues when it is`;
  }
}
