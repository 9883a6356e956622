import type { CredentialDeclaration, Credentials, Manifest } from '#libs/adapter-sdk';
import {
  type CredentialType,
  type LinkedCredential,
  mapCredentials,
  type MappedCredentials,
  type OpenedCredential,
  scopeOf,
} from '#libs/contracts';
import { type AskedCredential, OpenedCredentials } from '#libs/credentials';
import { ChangeListener } from '#libs/database';
import { errorCode } from '#libs/queue';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { AppRow } from '../../entities/app.entity.js';
import { type GatewaySettings, SETTINGS, VAULT } from '../../env.js';
import { AdapterError, refusesPlatform } from '../adapters/adapter-answer.js';
import { CredentialWaits, notLinkedCode, waitsForCredential } from './credential-waits.js';
import type { InstalledApp } from './installed-apps.js';

/** Added to the longest call, so that a token does not expire while an adapter uses it. */
const tokenMarginSeconds = 30;
/** In doubt, records are read again that are older than this: a change takes effect that soon. */
const recheckEveryMs = 100;
/** Vault errors of a record that is not connected, or not any more: it has nothing to give. All others are failures. */
const unconnectedCodes = ['not_connected', 'needs_reconnect', 'revoked'];

/** Which records the vault opens for an App: it is informed when the App changes, and again when it says that it knows none. */
export abstract class VaultBindings {
  /** Tells the vault exactly what the App uses now. @throws Problem of the vault */
  abstract settle(appId: string): Promise<void>;
}

/** The `credentials` object of adapter calls (spec 2.4): all records of the App, under their `maps_to` names. */
@Injectable()
export class AppCredentials {
  private readonly opened: OpenedCredentials;
  private readonly minValidSeconds: number;

  constructor(
    @Inject(VAULT) vault: ServiceClient,
    changes: ChangeListener,
    private readonly bindings: VaultBindings,
    private readonly waits: CredentialWaits,
    @Inject(SETTINGS) settings: GatewaySettings,
  ) {
    const { ADAPTER_TIMEOUT_MS, DELIVERY_TIMEOUT_MS, SOURCE_FETCH_TIMEOUT_MS, CREDENTIAL_CACHE_MS: ms } = settings;
    this.opened = new OpenedCredentials(vault, changes, { ms, outageMs: 0 });
    const longestMs = Math.max(ADAPTER_TIMEOUT_MS, DELIVERY_TIMEOUT_MS, SOURCE_FETCH_TIMEOUT_MS);
    this.minValidSeconds = Math.ceil((longestMs + ms) / 1_000) + tokenMarginSeconds;
  }

  /** @throws Problem of the vault; `credential_not_found` when a record is gone */
  of(installed: InstalledApp): Promise<Credentials> {
    return this.mapped(installed, (app, id) => this.open(app, id));
  }

  /**
   * Like `of`, for work that waits at no cost until a person has connected or linked what is missing.
   * @throws CredentialNotReady; Problem of the vault
   */
  async forWork(installed: InstalledApp): Promise<Credentials> {
    // Without consent there is nothing to try. An adapter may do without a key that its manifest only declares.
    this.requireLinked(installed, ['oauth2']);
    return this.mapped(installed, async (of, id) => {
      try {
        return await this.open(of, id);
      } catch (error) {
        if (!(error instanceof Problem) || !waitsForCredential(error.code)) throw error;
        throw this.waits.until(of.id, id, error.code, error.detail);
      }
    });
  }

  /**
   * Lets work wait for a required credential that is not linked.
   * @throws CredentialNotReady
   */
  requireLinked({ app, adapter }: InstalledApp, types: CredentialType[] = ['api_key', 'oauth2', 'text']): void {
    const missing = declarationsOf(app, adapter?.manifest ?? null).find(
      ({ key, type, required }) => required !== false && types.includes(type) && app.credentials[key] === undefined,
    );
    if (!missing) return;
    const { label, key, type } = missing;
    const todo = `${label} (${key}) of the App ${app.id} is missing: link a credential of type ${type}`;
    throw this.waits.until(app.id, null, notLinkedCode, todo);
  }

  /**
   * Like `of`, without records that are not connected: for calls that need none of their tokens, such as a handshake.
   * @param instead values of one record that are not stored yet, such as tokens that are being checked
   */
  ofConnected(installed: InstalledApp, instead?: { id: string; record: OpenedCredential }): Promise<Credentials> {
    return this.mapped(installed, async (app, id) => {
      if (id === instead?.id) return instead.record;
      try {
        return await this.open(app, id);
      } catch (error) {
        if (!(error instanceof Problem) || !unconnectedCodes.includes(error.code)) throw error;
        return null;
      }
    });
  }

  /**
   * As `ofConnected`, with records that were read a moment ago. For a signature that does not match: a secret may have
   * changed, of which this process has not heard yet.
   */
  rechecked(installed: InstalledApp): Promise<Credentials> {
    return this.mapped(installed, async (app, id) => {
      try {
        return await this.opened.recheck(scopeOf(app), this.asked(app, id), recheckEveryMs);
      } catch (error) {
        if (!(error instanceof Problem) || !unconnectedCodes.includes(error.code)) throw error;
        return null;
      }
    });
  }

  /**
   * Replaces the access tokens among credentials that a provider refused. What people stored cannot be replaced.
   * @param refused as `of` gave them
   * @returns whether another call gets other tokens
   * @throws Problem of the vault
   */
  async replaceRefused({ app, adapter }: InstalledApp, refused: Credentials): Promise<boolean> {
    const ids = new Set(linksOf(app, adapter?.manifest ?? null).map(({ credential_id: id }) => id));
    const used: unknown[] = Object.values(refused);
    const replaced = await Promise.all(
      [...ids].map(async (id) => {
        const record = await this.open(app, id);
        const { access_token: token } = record.fields;
        if (record.token_version === undefined || token === undefined) return false;
        // Another call may have replaced it meanwhile.
        if (!used.includes(token)) return true;
        return this.opened.replaceRefused(scopeOf(app), this.asked(app, id), record);
      }),
    );
    return replaced.includes(true);
  }

  private async mapped(
    { app, adapter }: InstalledApp,
    open: (app: AppRow, credentialId: string) => Promise<OpenedCredential | null>,
  ): Promise<Credentials> {
    const links = linksOf(app, adapter?.manifest ?? null);
    const ids = [...new Set(links.map(({ credential_id: id }) => id))];
    const records = await Promise.all(ids.map(async (id) => [id, await open(app, id)] as const));
    const opened = new Map(records.flatMap(([id, record]) => (record === null ? [] : [[id, record] as const])));
    const credentials = mapCredentials(links, opened);
    return adapter ? credentials : pairFields(credentials);
  }

  /** Bindings are made when an App changes. A missing one is made again before the call fails. */
  private async open(app: AppRow, credentialId: string): Promise<OpenedCredential> {
    const [scope, asked] = [scopeOf(app), this.asked(app, credentialId)];
    try {
      return await this.opened.get(scope, asked);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_bound') throw error;
      await this.bindings.settle(app.id);
      return this.opened.get(scope, asked);
    }
  }

  private asked({ id }: AppRow, credentialId: string): AskedCredential {
    return { credential_id: credentialId, consumer: { kind: 'app', id }, min_valid_seconds: this.minValidSeconds };
  }
}

/** The vault gives a rotated secret as a list; the built-in App expects `signing_secret` and `signing_secret_next`. */
function pairFields(credentials: MappedCredentials): Credentials {
  return Object.fromEntries(
    Object.entries(credentials).flatMap(([name, value]) =>
      [value].flat().map((one, at) => [at === 0 ? name : `${name}_next`, one] as const),
    ),
  );
}

/** Of the built-in Webhook app: verifies incoming requests, and signs outgoing ones. */
export const signingSecret: CredentialDeclaration = {
  key: 'SIGNING_SECRET',
  type: 'text',
  label: 'Signing secret',
  maps_to: 'signing_secret',
  required: false,
  description: 'The field signing_secret is used. It checks the signatures of requests, and signs replies.',
};

/**
 * What an App declares: the manifest's credentials; the built-in App, its secret, required if signatures are checked.
 */
export function declarationsOf(
  app: Pick<AppRow, 'signature'>,
  manifest: Pick<Manifest, 'credentials'> | null,
): CredentialDeclaration[] {
  return manifest?.credentials ?? [{ ...signingSecret, required: app.signature !== null }];
}

/**
 * The declarations of an App that a record fills. A link without a declaration in the manifest in force has no effect.
 */
export function linksOf(
  app: Pick<AppRow, 'credentials' | 'signature'>,
  manifest: Pick<Manifest, 'credentials'> | null,
): LinkedCredential[] {
  return declarationsOf(app, manifest).flatMap(({ key, type, maps_to }) => {
    const credentialId = app.credentials[key];
    return credentialId === undefined ? [] : [{ key, type, maps_to, credential_id: credentialId }];
  });
}

/** The provider, or the adapter for it, refuses the credentials of a call. */
export const refusedTokenCode = 'auth_failed';

/**
 * Calls that may be repeated. A provider may refuse an access token before it expires: it was revoked, or the account's
 * password has changed. The token is then replaced, once, and the call is made once more. Deliveries have their rows for
 * that.
 */
@Injectable()
export class RefusedCalls {
  constructor(private readonly credentials: AppCredentials) {}

  /**
   * @param open reads the credentials; a second time after a refusal, when it may say that they have to be connected
   * @throws what `open` and `call` throw; Problem 503 of the vault while it cannot replace the token
   */
  async retried<T>(
    installed: InstalledApp,
    open: () => Promise<Credentials>,
    call: (credentials: Credentials) => Promise<T>,
    isRefusal: (answer: T) => boolean = answersRefusal,
  ): Promise<T> {
    const used = await open();
    const made = await call(used).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    const refused = 'error' in made ? refusesToken(made.error) : isRefusal(made.answer);
    if (refused && (await this.replaced(installed, used))) return call(await open());
    if ('error' in made) throw made.error;
    return made.answer;
  }

  /**
   * @returns whether reading the credentials again gives others, or says why they cannot be used any more
   * @throws Problem 503 of the vault
   */
  async replaced(installed: InstalledApp, used: Credentials): Promise<boolean> {
    try {
      return await this.credentials.replaceRefused(installed, used);
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return true;
      throw error;
    }
  }
}

/** Whether a call failed because its credentials were refused, by status or by code. */
export function refusesToken(error: unknown): boolean {
  if (!(error instanceof AdapterError)) return errorCode(error) === refusedTokenCode;
  const { answer } = error;
  if (answer === null || refusesPlatform(answer)) return false;
  return answer.status === 401 || (error.refusal !== null && answer.body?.['error'] === refusedTokenCode);
}

/** Whether an answer `ok: false` says that. */
function answersRefusal(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('ok' in answer) || answer.ok !== false) return false;
  return ['error' in answer ? answer.error : undefined, 'code' in answer ? answer.code : undefined].includes(
    refusedTokenCode,
  );
}
