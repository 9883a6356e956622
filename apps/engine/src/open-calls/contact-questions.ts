import { type McpAnswers, type McpQuestion, scopeOf, turnRun } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { JobClient, PermanentFailure } from '#libs/queue';
import { Problem, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { OpenCall } from '../entities/open-call.entity.js';
import { turnJobOf } from '../entities/turn.entity.js';
import { inline } from '../path/approvals/ask-text.js';
import { sendInPrivate } from '../path/approvals/private-message.js';
import { digestOf } from '../path/tools/bound-credentials.js';
import { type EngineSettings, GATEWAY, SETTINGS } from '../settings.js';
import { OpenCallRepository } from './open-call.repository.js';

/** Asks the contact of a turn what the server of a call wants to know, in private, and takes the answer. */
@Injectable()
export class ContactQuestions {
  constructor(
    private readonly rows: OpenCallRepository,
    private readonly router: ServiceClient,
    private readonly jobs: JobClient,
    private readonly journal: Journal,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @returns null once the message is on its way; `away`: it may be tried again; else why the contact is not asked */
  async ask(open: OpenCall): Promise<string | null> {
    if (open.contact_id === null || open.questions === null) return 'the event has no contact';
    const url = `${this.settings.PUBLIC_URL.replace(/\/$/, '')}/api/v1/questions/${open.token}`;
    const how = {
      // A call that is repeated asks the same again, under another link.
      key: `question:${open.id}:${open.rounds}:${digestOf(open.token ?? '').slice(0, 16)}`,
      // Only the link answers, so a mail with somebody else's sender answers nothing.
      orByMail: true,
      ttlSeconds: Math.max(60, Math.ceil((open.expires_at.getTime() - open.created_at.getTime()) / 1_000)),
    };
    try {
      const text = questionText(open, url);
      const services = { router: this.router, gateway: this.gateway };
      const deliveryId = await sendInPrivate(services, scopeOf(open), open.contact_id, { text }, how);
      this.note(open, 'input_asked', { delivery_id: deliveryId, contact: open.contact_id });
      return null;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== 'away' && refusal !== null) this.note(open, 'input_not_asked', { error: refusal });
      return refusal;
    }
  }

  /** @returns the call; null: it was answered before, or waits no longer */
  async answer(token: string, answers: McpAnswers): Promise<OpenCall | null> {
    const open = await this.rows.answer(token, answers);
    if (!open) return null;
    const [first] = Object.values(answers);
    this.note(open, `input_${first?.action === 'accept' ? 'answered' : 'declined'}`, { contact: open.contact_id });
    await this.wake(open.turn_id, false);
    return open;
  }

  /** Should this fail, the turn looks again by itself. */
  async wake(turnId: string, onlyIfAnswered: boolean): Promise<void> {
    const turn = await this.rows.wake(turnId, onlyIfAnswered);
    if (turn) await this.jobs.enqueue(turnRun, turnJobOf(turn));
  }

  private note(open: OpenCall, reason: string, detail: Record<string, unknown>): void {
    const { receipt_id, organization_id, project_id, app_id, turn_id: turn, tool, server_name: server } = open;
    this.journal.append({
      receipt_id,
      organization_id,
      project_id,
      app_id,
      stage: 'turn',
      outcome: 'running',
      reason,
      // Of no subject: the turn waits, and its own last entry says so.
      detail: { turn, tool, server, ...detail },
    });
  }
}

/** What the contact reads: who asks, and where to answer. What is asked stands on the page, so that no channel cuts it. */
function questionText({ server_name: server, questions, expires_at: until }: OpenCall, url: string): string {
  const hosts = Object.values(questions ?? {}).flatMap(hostIn);
  const leads = hosts.length > 0 ? ` It wants you to open a page of ${hosts.map(inline).join(' and of ')}.` : '';
  const by = until.toISOString().slice(0, 16).replace('T', ' ');
  return [
    `**${inline(server)} needs an answer from you** before it can go on.${leads}`,
    `Answer or decline here, by ${by} UTC: ${url}`,
    'What you write meanwhile is read after that.',
    'The link is only for you. Never give a password there. If you have asked for nothing, decline.',
  ].join('\n\n');
}

const hostIn = (question: McpQuestion): string[] => (question.mode === 'url' ? [new URL(question.url).host] : []);

/** @returns null: a message with this key was sent before */
function refusalOf(error: unknown): string | null {
  if (error instanceof PermanentFailure) return error.message;
  if (!(error instanceof Problem) || error.status >= 500 || error.status === 429) return 'away';
  return error.code === 'idempotency_key_reused' ? null : error.detail;
}
