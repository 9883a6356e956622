import type { OpenedCredential, ProjectScope } from '#libs/contracts';
import { ChangeCache, type ChangeListener } from '#libs/database';
import { Problem, type ServiceClient } from '#libs/service-kit';

export interface AskedCredential {
  credential_id: string;
  consumer: { kind: 'app' | 'mcp_server' | 'skill' | 'provider'; id: string };
  min_valid_seconds?: number;
}

interface Read extends AskedCredential {
  /** The version whose access token the provider refused. */
  refused_version?: number;
}

const maxKept = 10_000;
/** While changes are not heard, a change takes effect after this long. */
const unheardMs = 50;

/**
 * Credentials as the vault gave them to a consumer, cached until they change, whoever changes them: their fields, their
 * tokens, or what the consumer's binding lets it read. The vault answers from no cache: the notification of a change may
 * reach this process before the vault's own.
 */
export class OpenedCredentials {
  private readonly cache: ChangeCache<OpenedCredential>;

  /**
   * @param changes listens to the schema `vault`
   * @param kept.ms how long one that does not change is used
   * @param kept.outageMs how old it may get while the vault does not answer; 0: no older
   * @param kept.unheard whether that holds too while changes are not heard: without Postgres nobody can change any
   */
  constructor(
    private readonly vault: ServiceClient,
    changes: Pick<ChangeListener, 'listening' | 'on'>,
    kept: { ms: number; outageMs: number; unheard?: boolean },
  ) {
    const outage = { is: isOutage, keptMs: kept.outageMs, unheard: kept.unheard ?? false };
    this.cache = new ChangeCache(changes, { topic: 'credential', maxKept, keptMs: kept.ms, unheardMs, outage });
  }

  /** Null when the vault has to be asked. */
  known({ credential_id: id, consumer }: AskedCredential): OpenedCredential | null {
    return this.cache.known(id, nameOf(consumer)) ?? null;
  }

  /** @throws Problem of the vault */
  get(scope: ProjectScope, asked: AskedCredential): Promise<OpenedCredential> {
    return this.cache.current(asked.credential_id, () => this.read(scope, asked), nameOf(asked.consumer));
  }

  /**
   * Reads it again unless it was read a moment ago. For a doubt, such as a signature that does not match: a change that
   * was not heard is then found.
   * @throws Problem of the vault
   */
  async recheck(scope: ProjectScope, asked: AskedCredential, everyMs: number): Promise<OpenedCredential> {
    const consumer = nameOf(asked.consumer);
    if (this.cache.ageMs(asked.credential_id, consumer) < everyMs) return this.get(scope, asked);
    return this.cache.renew(asked.credential_id, () => this.read(scope, asked), consumer);
  }

  /**
   * Another access token than one that the provider refused: a newer one, if there is one by now; else the vault
   * replaces it, once.
   * @param refused as it was given
   * @returns whether there is another one
   * @throws Problem of the vault: `refresh_pending`, or why the credential cannot be used any more
   */
  async replaceRefused(scope: ProjectScope, asked: AskedCredential, refused: OpenedCredential): Promise<boolean> {
    const { token_version: version } = refused;
    if (version === undefined) return false;
    const consumer = nameOf(asked.consumer);
    const current = await this.get(scope, asked);
    if (current.token_version !== version) return true;
    const read = () => this.read(scope, { ...asked, refused_version: version });
    return (await this.cache.renew(asked.credential_id, read, consumer)).token_version !== version;
  }

  private read(scope: ProjectScope, asked: Read): Promise<OpenedCredential> {
    return this.vault.postUncached('/internal/credentials/resolve', scope, asked);
  }
}

const nameOf = ({ kind, id }: AskedCredential['consumer']): string => `${kind} ${id}`;

/** What the vault refuses it refuses for good: a credential that was deleted is not used any longer. */
const isOutage = (error: unknown): boolean => error instanceof Problem && error.status >= 500;
