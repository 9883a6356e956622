import { bySetting, limitReached, networkOf } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS } from '../settings.js';
import { Trials } from './trials.js';
import type { FailedKeysSettings } from '../settings.js';

/** `gh_` and 8 more characters: enough to tell guesses at one key from guesses at another. */
const prefixLength = 11;

/**
 * Slows down guessing of API keys, by address and by key prefix. A key that was valid here before is not delayed by
 * other clients of its address, nor by guesses at it. A key that is new to this replica is delayed like them. Only
 * failures count, so valid keys never slow each other.
 */
@Injectable()
export class FailedKeys {
  private readonly logger = new Logger('authentication');
  private readonly addresses: Trials;
  private readonly prefixes: Trials;
  /** Hashes of keys that were valid when last used, least recently used first. */
  private readonly valid = new Set<string>();

  constructor(@Inject(SETTINGS) private readonly settings: FailedKeysSettings) {
    const { FAILED_KEYS_WINDOW_MS: windowMs, FAILED_KEYS_TRACKED: tracked } = settings;
    this.addresses = new Trials(settings.FAILED_KEYS_PER_ADDRESS, windowMs, tracked);
    this.prefixes = new Trials(settings.FAILED_KEYS_PER_PREFIX, windowMs, tracked);
  }

  /**
   * Called before a key is looked up.
   * @param hash of the text
   * @throws Problem 429 `too_many_failed_keys` with `Retry-After`
   */
  check(address: string, text: string, hash: string): void {
    if (this.valid.has(hash)) return;
    const nowMs = Date.now();
    const network = networkOf(address);
    const byAddress = this.addresses.waitMs(network, nowMs);
    const waitMs = Math.max(byAddress, this.prefixes.waitMs(prefixOf(text), nowMs));
    if (waitMs === 0) return;
    const { FAILED_KEYS_PER_ADDRESS, FAILED_KEYS_PER_PREFIX, FAILED_KEYS_WINDOW_MS: windowMs } = this.settings;
    const limit =
      byAddress > 0
        ? ({ name: 'FAILED_KEYS_PER_ADDRESS', of: 'address', value: FAILED_KEYS_PER_ADDRESS } as const)
        : ({ name: 'FAILED_KEYS_PER_PREFIX', of: 'key_prefix', value: FAILED_KEYS_PER_PREFIX } as const);
    const what = `Too many invalid API keys ${byAddress > 0 ? 'from this address' : 'with this beginning'}`;
    const within = { window_seconds: windowMs / 1_000, raise: bySetting(limit.name, 'portal') };
    throw limitReached('too_many_failed_keys', what, { ...limit, ...within }, waitMs / 1_000);
  }

  failed(address: string, text: string, hash: string): void {
    this.valid.delete(hash);
    const nowMs = Date.now();
    const network = networkOf(address);
    const slowed = [this.addresses.fail(network, nowMs), this.prefixes.fail(prefixOf(text), nowMs)];
    if (slowed.includes(true)) this.logger.warn({ event: 'keys.slowed', address: network });
  }

  succeeded(hash: string): void {
    this.valid.delete(hash);
    this.valid.add(hash);
    for (const oldest of this.valid) {
      if (this.valid.size <= this.settings.FAILED_KEYS_TRACKED) break;
      this.valid.delete(oldest);
    }
  }
}

function prefixOf(text: string): string {
  return text.slice(0, prefixLength);
}
