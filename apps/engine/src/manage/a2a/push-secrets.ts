import { Injectable } from '@nestjs/common';
import { compactDecrypt, CompactEncrypt } from 'jose';
import { AgentKeys } from './agent-keys.js';

/** What a receiver of push notifications expects to be shown, so that it knows who sends them. */
export interface PushSecrets {
  token?: string;
  scheme?: string;
  credentials?: string;
}

/** Encrypts what callers tell us for their receivers (JWE, RFC 7516): it is used later, and stored until then. */
@Injectable()
export class SealedSecrets {
  constructor(private readonly keys: AgentKeys) {}

  /** @returns null: there is nothing to keep */
  async seal(secrets: PushSecrets): Promise<string | null> {
    const [key] = this.keys.sealing;
    if (Object.keys(secrets).length === 0 || !key) return null;
    const text = new TextEncoder().encode(JSON.stringify(secrets));
    return new CompactEncrypt(text).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
  }

  /** @throws Error when no key of today has sealed it */
  async open(sealed: string | null): Promise<PushSecrets> {
    if (sealed === null) return {};
    for (const key of this.keys.sealing) {
      const opened = await compactDecrypt(sealed, key).catch(() => null);
      if (opened) return JSON.parse(new TextDecoder().decode(opened.plaintext)) as PushSecrets;
    }
    throw new Error('the keys with which the secrets of a push notification were encrypted are gone');
  }
}
