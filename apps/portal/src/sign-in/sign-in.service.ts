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
      'The link was already used, has expired, or its member was removed: ask whoever gave it to you for a new one. The owner gets a new one by restarting Gatehouse.';
    throw new Problem(401, 'link_used_or_expired', detail);
  }
}
