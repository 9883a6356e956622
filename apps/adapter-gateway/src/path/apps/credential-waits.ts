import { ChangeListener } from '#libs/database';
import { RunLater } from '#libs/queue';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';

/** Makes the work of these Apps that waits for a credential due now. */
type Release = (appIds: string[]) => Promise<void>;

/** What an attempt found may be stored a moment after the change that it missed. */
const recheckMs = 1_500;
const maxKept = 10_000;

/**
 * Which Apps wait for which credential, in this process. When the credential changes (it was connected, restored or
 * linked), their work is released at once. What another process knew, or was not heard, is released by its sweep.
 */
@Injectable()
export class CredentialWaits implements OnApplicationShutdown {
  private readonly logger = new Logger('credentials');
  /** By credential and by App: it may be connected, or the App be linked to another one. */
  private readonly waiting = new Map<string, Set<string>>();
  /** When each key last changed, for attempts that began before. */
  private readonly changedAtMs = new Map<string, number>();
  private readonly releases: Release[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly delayMs: number;

  constructor(changes: ChangeListener, @Inject(SETTINGS) { CREDENTIAL_WAIT_MS: delayMs }: GatewaySettings) {
    this.delayMs = delayMs;
    changes.on('credential', (key) => this.changed(key));
    changes.on('app', (key) => this.changed(key));
  }

  onRelease(release: Release): void {
    this.releases.push(release);
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** @param credentialId what the App waits for; null: to be linked to one, as it may be in any case */
  until(appId: string, credentialId: string | null, code: string, detail: string): CredentialNotReady {
    if (this.waiting.size >= maxKept) this.waiting.clear();
    for (const key of credentialId === null ? [appId] : [appId, credentialId]) {
      this.waiting.set(key, (this.waiting.get(key) ?? new Set<string>()).add(appId));
      if (Date.now() - (this.changedAtMs.get(key) ?? 0) < recheckMs) this.releaseLater([appId]);
    }
    return new CredentialNotReady(code, detail, this.delayMs);
  }

  private changed(key: string | null): void {
    if (!key) return;
    if (this.changedAtMs.size >= maxKept) this.changedAtMs.clear();
    this.changedAtMs.set(key, Date.now());
    const apps = [...(this.waiting.get(key) ?? [])];
    this.waiting.delete(key);
    if (apps.length === 0) return;
    void this.release(apps);
    this.releaseLater(apps);
  }

  private releaseLater(apps: string[]): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.release(apps);
    }, recheckMs).unref();
    this.timers.add(timer);
  }

  private async release(apps: string[]): Promise<void> {
    for (const release of this.releases) {
      try {
        await release(apps);
      } catch (error) {
        // It is attempted later in any case.
        this.logger.warn({ event: 'credential.work_not_released', error: String(error) });
      }
    }
  }
}

/** A required credential of the App is not linked to a record. */
export const notLinkedCode = 'credentials_missing';

/** Refusals of the vault that end when a person connects, restores or links a credential. Others are failures. */
export const credentialWaitCodes: readonly string[] = [
  notLinkedCode,
  'not_connected',
  'needs_reconnect',
  'revoked',
  'credential_undecryptable',
  'credential_not_found',
];

export function waitsForCredential(code: string | null): boolean {
  return code !== null && credentialWaitCodes.includes(code);
}

/** Work of an App whose credential is missing, or must be connected: nothing is called until a person has done that. */
export class CredentialNotReady extends RunLater {
  constructor(code: string, detail: string, delayMs: number) {
    super(delayMs, code);
    this.message = `${detail.replace(/\.$/, '')}: work continues when that is done`;
  }
}
