import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { SignInAttempts } from './sign-in-attempts.js';
import { type Browser, type StartedSession, StartedSessionRepository } from './started-session.repository.js';

@Injectable()
export class SignInService {
  constructor(
    private readonly sessions: StartedSessionRepository,
    private readonly attempts: SignInAttempts,
  ) {}

  /** @throws Problem 401 `link_used_or_expired`; 429 `too_many_sign_ins` */
  async byLink(token: string, browser: Browser): Promise<StartedSession> {
    this.attempts.check(browser.address);
    const started = await this.sessions.byLink(token, browser);
    if (started) return started;
    this.attempts.failed(browser.address);
    const detail =
      'The link was used before, has expired, or is for nobody any more: ask who gave it to you for another, or start Gatehouse again for the owner’s.';
    throw new Problem(401, 'link_used_or_expired', detail);
  }
}
