import { PreparedScheme, type ReceivedRequest } from '#libs/adapter-sdk';
import {
  type DeclaredVerification,
  type Endpoint,
  mapCredentials,
  type MappedCredentials,
  type OpenedCredential,
  scopeOf,
} from '#libs/contracts';
import { type AskedCredential, OpenedCredentials } from '#libs/credentials';
import { ChangeListener } from '#libs/database';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type IngressSettings, SETTINGS, VAULT } from '../../env.js';
import { Refused } from '../request/incoming.js';

/** A request that was accepted. */
export interface Verified {
  /** For the timeline: `hmac-sha256`, during a rotation also the field whose secret matched. */
  scheme: string;
  /** The time of signing, where one is signed. */
  signedAt: string | null;
}

/** Made ready once for all requests of an endpoint: a changed endpoint brings another declaration. */
const prepared = new WeakMap<DeclaredVerification, PreparedScheme>();

/**
 * Checks a declared scheme over the raw bytes, in constant time.
 * @param fields of the credential; two secrets are set during a rotation
 * @param bodies the forms that a signature may be over: as it came, and decompressed
 * @throws Refused 401 `missing_signature`, `missing_timestamp`, `bad_signature`, `stale_timestamp`; 503
 * `not_configured` without a secret, `weak_secret` when none can protect: the operator has to repair that, and the
 * sender may retry
 */
export function verifySignature(
  verification: DeclaredVerification,
  fields: MappedCredentials,
  request: Omit<ReceivedRequest, 'body'>,
  bodies: Buffer[],
  nowMs: number,
): Verified {
  let scheme = prepared.get(verification);
  if (scheme === undefined) prepared.set(verification, (scheme = new PreparedScheme(verification)));
  const verdict = scheme.check(fields, request, bodies, nowMs);
  if (verdict.ok) return verdict;
  const { error, message } = verdict;
  // The sender learns that it is not to blame, and not what an attacker needs.
  const isOurs = error === 'not_configured' || error === 'weak_secret';
  throw isOurs ? new Refused(503, error, message, { 'retry-after': '60' }) : new Refused(401, error, message);
}

/** While the vault is unavailable, a secret that is known not to have changed is used for this long. */
const outageMs = 600_000;
/** Posts that are refused have the vault asked again this often, for each App and replica. */
const recheckEveryMs = 1_000;
const maxMapped = 10_000;
/** Refusals that another secret may turn into an acceptance. */
const doubtful = ['bad_signature', 'not_configured', 'weak_secret', 'wrong_verify_token'];

interface Mapped {
  endpoint: Endpoint;
  records: OpenedCredential[];
  fields: MappedCredentials;
}

/** Signing secrets of endpoints, read from the vault and kept in memory until they change. */
@Injectable()
export class Secrets {
  private readonly opened: OpenedCredentials;
  /** By App, to map records only once. */
  private readonly mapped = new Map<string, Mapped>();

  constructor(
    @Inject(VAULT) vault: ServiceClient,
    changes: ChangeListener,
    @Inject(SETTINGS) { CREDENTIAL_CACHE_MS: ms }: Pick<IngressSettings, 'CREDENTIAL_CACHE_MS'>,
  ) {
    this.opened = new OpenedCredentials(vault, changes, { ms, outageMs, unheard: true });
  }

  /**
   * Checks a request with the fields of all records of the endpoint, under the names that its adapter knows; none where
   * nothing is linked. Before it refuses, it makes sure that it has the secrets that are in force.
   * @throws Refused as `check` does; Problem when the vault does not answer and nothing recent is known
   */
  async checked<T>(endpoint: Endpoint, check: (fields: MappedCredentials) => T): Promise<T> {
    const fields =
      this.known(endpoint) ?? (await this.read(endpoint, (asked) => this.opened.get(scopeOf(endpoint), asked)));
    try {
      return check(fields);
    } catch (error) {
      if (!(error instanceof Refused) || !doubtful.includes(error.code)) throw error;
      const reread = await this.read(endpoint, (asked) =>
        this.opened.recheck(scopeOf(endpoint), asked, recheckEveryMs),
      );
      if (reread === fields) throw error;
      return check(reread);
    }
  }

  private known(endpoint: Endpoint): MappedCredentials | null {
    if (endpoint.credentials.length === 0) return {};
    const mapped = this.mapped.get(endpoint.app_id);
    if (mapped?.endpoint !== endpoint) return null;
    const isCurrent = idsOf(endpoint).every(
      (id, at) => this.opened.known(askedOf(endpoint, id)) === mapped.records[at],
    );
    return isCurrent ? mapped.fields : null;
  }

  private async read(
    endpoint: Endpoint,
    open: (asked: AskedCredential) => Promise<OpenedCredential>,
  ): Promise<MappedCredentials> {
    const ids = idsOf(endpoint);
    const records = await Promise.all(ids.map((id) => open(askedOf(endpoint, id))));
    const before = this.mapped.get(endpoint.app_id);
    if (before?.endpoint === endpoint && records.every((one, at) => one === before.records[at])) return before.fields;
    const opened = new Map(ids.flatMap((id, at) => (records[at] ? [[id, records[at]] as const] : [])));
    const fields = mapCredentials(endpoint.credentials, opened);
    if (this.mapped.size >= maxMapped) this.mapped.clear();
    this.mapped.set(endpoint.app_id, { endpoint, records, fields });
    return fields;
  }
}

const idsOf = ({ credentials }: Endpoint): string[] => [...new Set(credentials.map(({ credential_id: id }) => id))];

function askedOf({ app_id: id }: Endpoint, credentialId: string): AskedCredential {
  return { credential_id: credentialId, consumer: { kind: 'app', id } };
}
