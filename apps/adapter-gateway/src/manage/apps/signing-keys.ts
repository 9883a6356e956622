import type { KeyCheck, ProjectScope } from '#libs/contracts';
import { type FieldError, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import { VAULT } from '../../env.js';
import { endpointOf, keyChecks } from './endpoint-projection.js';

/** An App with what decides how its requests are checked. */
export interface CheckedApp {
  app: AppRow;
  adapter: Pick<AdapterRow, 'manifest' | 'disabled'> | null;
}

interface Asked extends KeyCheck {
  credential_id: string;
}

interface Answered {
  credential_id: string;
  /** Fields that hold no key that protects, with why. */
  problems: FieldError[];
}

const perCall = 100;

/**
 * Whether the secrets that an App checks requests with protect it. Only the App says how a key is made of a secret, and
 * only the vault knows the secret: it answers with words, never with values.
 */
@Injectable()
export class SigningKeys {
  private readonly logger = new Logger('signing-keys');

  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /** @throws Problem 422 `weak_secret`, one error for each field; those of the vault */
  async require(scope: ProjectScope, checked: CheckedApp): Promise<void> {
    const errors = (await this.answers(scope, asksOf(checked))).flatMap(({ credential_id: id, problems }) =>
      problems.map(({ field, message }) => ({ field: 'credentials', message: `${field} of ${id} ${message}` })),
    );
    if (errors.length === 0) return;
    const detail =
      'Anybody could sign requests to this App: its signing secret cannot protect. Store a stronger one, then link it.';
    throw new Problem(422, 'weak_secret', detail, errors);
  }

  /** For display: by App id, what is wrong. Nothing while the vault does not answer. */
  async problemsOf(scope: ProjectScope, apps: CheckedApp[]): Promise<Map<string, string[]>> {
    const asks = apps.map((one) => ({ id: one.app.id, asked: asksOf(one) }));
    const all = asks.flatMap(({ asked }) => asked);
    try {
      const answers = await this.answers(scope, all);
      let at = 0;
      return new Map(
        asks.map(({ id, asked }) => {
          const own = answers.slice(at, (at += asked.length));
          return [id, own.flatMap(({ problems }) => problems.map(({ field, message }) => `${field} ${message}`))];
        }),
      );
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'signing_keys.not_checked', code: error.code });
      return new Map();
    }
  }

  private async answers(scope: ProjectScope, asked: Asked[]): Promise<Answered[]> {
    const answers: Answered[] = [];
    for (let at = 0; at < asked.length; at += perCall) {
      const credentials = asked.slice(at, at + perCall);
      const { data } = await this.vault.post<{ data: Answered[] }>('/internal/credentials/check-keys', scope, {
        credentials,
      });
      answers.push(...data);
    }
    return answers;
  }
}

function asksOf({ app, adapter }: CheckedApp): Asked[] {
  if (app.state === 'retired' || (app.kind === 'adapter' && adapter === null)) return [];
  return [...keyChecks(endpointOf(app, adapter))].map(([id, check]) => ({ credential_id: id, ...check }));
}
