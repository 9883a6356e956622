import { scopeOf } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { AnswerJournal } from '../grants/answer-journal.js';
import { GrantClients } from '../grants/grant-clients.js';
import { GrantSealer } from '../grants/grant-sealer.js';
import { RefreshAttemptRepository } from '../grants/refresh-attempt.repository.js';
import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';
import { requestTokens, type Tokens, type Transport } from '../oauth-providers/token-endpoint.js';

/** The tokens for a code: from the provider, or from a stored answer. */
@Injectable()
export class CodeAnswerService {
  constructor(
    private readonly clients: GrantClients,
    private readonly sealer: GrantSealer,
    private readonly journal: AnswerJournal,
    private readonly attempts: RefreshAttemptRepository,
  ) {}

  /** Sends the code and stores the answer under the attempt. @throws TokenRefused */
  async ask(flow: OauthFlow, attemptId: string, code: string, state: string, iss: string | null): Promise<Tokens> {
    const answer = { code, state, ...(iss !== null && flow.provider.issuer !== null ? { iss } : {}) };
    return this.read(flow, answer, this.journal.keeping(flow, attemptId));
  }

  /** Reads the answer that waits for a confirmation. @returns null when it is no longer stored; @throws DoesNotOpen */
  async kept(flow: OauthFlow): Promise<Tokens | null> {
    const attempt = flow.unconfirmed_attempt ? await this.attempts.find(flow.unconfirmed_attempt) : null;
    if (!attempt) return null;
    return this.read(flow, { code: 'kept', state: 'kept' }, () => this.journal.read(flow, attempt));
  }

  private async read(flow: OauthFlow, answer: Record<string, string>, transport: Transport): Promise<Tokens> {
    const sealed = { kid: flow.kid, wrappedDek: flow.wrapped_dek, value: flow.verifier };
    const [client, verifier] = await Promise.all([
      this.clients.read(scopeOf(flow), flow.credential_id),
      this.sealer.open(flow, flow.id, sealed),
    ]);
    const callbackUrl = new URL(flow.redirect_uri);
    callbackUrl.search = new URLSearchParams(answer).toString();
    const request = { grant: 'authorization_code' as const, callbackUrl, verifier };
    return requestTokens(flow.provider, client, request, transport);
  }
}
