import { bySetting, limitReached, networkOf } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { Trials } from '../authentication/trials.js';
import { SETTINGS, type FailedKeysSettings } from '../settings.js';

/**
 * Slows down an address whose sign-ins with links fail, as failed API keys do, and a single sign-on that is tried again
 * and again. A started single sign-on is not slowed by what others do from its address.
 */
@Injectable()
export class SignInAttempts {
  private readonly addresses: Trials;
  private readonly flows: Trials;

  constructor(@Inject(SETTINGS) private readonly settings: FailedKeysSettings) {
    const { FAILED_KEYS_PER_ADDRESS: limit, FAILED_KEYS_WINDOW_MS: windowMs, FAILED_KEYS_TRACKED: tracked } = settings;
    this.addresses = new Trials(limit, windowMs, tracked);
    this.flows = new Trials(limit, windowMs, tracked);
  }

  /** @throws Problem 429 `too_many_sign_ins` with `Retry-After` */
  check(address: string): void {
    const waitMs = this.waitMs(address);
    if (waitMs === 0) return;
    const { FAILED_KEYS_PER_ADDRESS: value, FAILED_KEYS_WINDOW_MS: windowMs } = this.settings;
    const name = 'FAILED_KEYS_PER_ADDRESS';
    const within = { window_seconds: windowMs / 1_000, raise: bySetting(name, 'portal') };
    const what = 'Too many failed sign-ins from this address';
    throw limitReached('too_many_sign_ins', what, { name, of: 'address', value, ...within }, waitMs / 1_000);
  }

  /** @param state of the single sign-on, as its browser's cookie has it */
  isFlowSlowed(state: string): boolean {
    return this.flows.waitMs(state, Date.now()) > 0;
  }

  flowFailed(state: string): void {
    this.flows.fail(state, Date.now());
  }

  failed(address: string): void {
    this.addresses.fail(networkOf(address), Date.now());
  }

  private waitMs(address: string): number {
    return this.addresses.waitMs(networkOf(address), Date.now());
  }
}
