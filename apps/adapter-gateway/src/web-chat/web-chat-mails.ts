import { deliverySend, newId, type OutboundContent, scopeOf } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { Journal } from '#libs/journal';
import { errorCode, JobClient, PermanentFailure } from '#libs/queue';
import { type Policy, settlementOf, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { InstalledApps } from '../path/apps/installed-apps.js';
import { WebChatAddressRepository } from './web-chat-address.repository.js';
import type { WebChatMail } from './web-chat-mail.entity.js';
import { type MailApp, WebChatMailApps } from './web-chat-mail-app.js';
import { type Handed, WebChatMailRepository } from './web-chat-mail.repository.js';
import { answerText, subjectOf } from './web-chat-mail-text.js';
import { WebChatFileRepository } from './web-chat-file.repository.js';

const policy: Policy = {
  tries: 20,
  backoff: { baseMs: 1_000, capMs: 300_000 },
  jitter: 0.5,
  ageMs: 86_400_000,
  failuresAge: true,
};
const cleanEveryMs = 600_000;

/**
 * Sends answers by mail whose visitors are away (docs/decisions/0189). A row is there since the answer was stored; it
 * becomes a delivery of the mail App in one statement, and that delivery does what every other one does.
 */
@Injectable()
export class WebChatMails extends Sweeping {
  private readonly logger = new Logger('web-chat-mails');

  constructor(
    private readonly mails: WebChatMailRepository,
    private readonly addresses: WebChatAddressRepository,
    private readonly files: WebChatFileRepository,
    private readonly apps: WebChatMailApps,
    private readonly installed: InstalledApps,
    private readonly jobs: JobClient,
    private readonly journal: Journal,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    const everyMs = settings.WEB_CHAT_MAIL_SWEEP_MS;
    this.sweepEvery({ name: 'web-chat-mails', everyMs, batch: 50, sweep: (limit) => this.sendDue(limit) });
    this.sweepEvery({ name: 'web-chat-mails-ended', everyMs, batch: 100, sweep: (limit) => this.endHanded(limit) });
    const days = settings.WEB_CHAT_DAYS;
    const old = (limit: number) => Promise.all([mails.removeOld(days, limit), addresses.removeOld(days, limit)]);
    this.sweepEvery({
      name: 'web-chat-mails-old',
      everyMs: cleanEveryMs,
      batch: 1_000,
      sweep: async (limit) => Math.max(...(await old(limit))),
    });
  }

  private async sendDue(limit: number): Promise<number> {
    const due = await this.mails.work.claimDue(limit);
    await Promise.all(due.map((row) => this.run(row)));
    return due.length;
  }

  /** What was begun in the timeline ends there, too. */
  private endHanded(limit: number): Promise<number> {
    return this.mails.transaction(async (tx) => {
      const ended = await this.mails.end(tx, limit);
      for (const row of ended) {
        if (row.kind !== 'answer') continue;
        const { state, delivery_id, reason } = row;
        const outcome = state === 'dead' ? 'failed' : 'ok';
        const why = state === 'sent' ? 'mailed' : (reason ?? 'delivery_gone');
        await this.journal.appendIn(tx, this.entry(row, outcome, why, { delivery_id }));
      }
      return ended.length;
    });
  }

  private async run(row: WebChatMail): Promise<void> {
    const { id: key, claim } = row;
    try {
      await this.mails.work.run({ key, claim }, () => this.send(row));
    } catch (error) {
      const settlement = settlementOf(key, row, verdictOf(error), policy);
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn({ event: 'web_chat.mail_failed', id: key, code: errorCode(error), reason });
      if (settlement.state === 'dead') await this.note(row, 'failed', settlement.reason ?? 'failed', { error: reason });
      await this.mails.settle(settlement);
    }
  }

  /** @throws PermanentFailure in words that say what to do */
  private async send(row: WebChatMail): Promise<void> {
    const { WEB_CHAT_AWAY_AFTER_MS: awayMs } = this.settings;
    const presence = await this.mails.presence(row, awayMs);
    if (!presence) throw new PermanentFailure('conversation_gone', 'The conversation is no longer kept.');
    if (presence.shown) return this.mails.notNeeded(row);
    if (presence.inMs > 0) return this.later(row, presence.inMs);
    const { address, app, subject } = await this.whereTo(row);
    const message = await this.mails.message(row);
    if (!message)
      throw new PermanentFailure('message_gone', 'The answer is no longer kept, so it was not sent by mail.');
    const chat = await this.installed.get(row.app_id);
    const attached = await this.attached(row, message.files ?? [], app);
    const delivery = newId('dlv');
    const handed = await this.mails.transaction(async (tx) => {
      const { WEB_CHAT_MAILS_PER_ADDRESS: most } = this.settings;
      if ((await this.mails.toAddress(tx, 'answer', { ...row, email: address.email })) >= most) {
        const words = `${most} answers went to this address in a day (WEB_CHAT_MAILS_PER_ADDRESS): this one waits in the chat.`;
        throw new PermanentFailure('mail_limit', words);
      }
      const token = await this.addresses.tokenFor(tx, row.app_id, address.email);
      if (token === null) throw new PermanentFailure('mail_refused', refusedWords);
      const text = answerText(message, {
        choices: (message.actions ?? []).map(({ label }) => label),
        files: attached.left,
        canReply: app.canReply,
        off: offLink(this.settings.PUBLIC_URL, token),
      });
      const content: OutboundContent = {
        text,
        subject: subject ?? subjectOf(chat.app.name),
        ...(attached.heads.length > 0 ? { attachments: attached.heads } : {}),
        target: { app_id: app.id, channel_address: address.email, thread_id: address.thread_id, reply_context: null },
      };
      const given: Handed = { delivery, mailApp: app.id, email: address.email, content, files: attached.contents };
      if (!(await this.mails.handOver(tx, row, awayMs, given))) return false;
      const detail = {
        text: `The visitor was away, so the answer also goes by mail, through ${app.name}.`,
        delivery_id: delivery,
      };
      await this.journal.appendIn(tx, this.entry(row, 'running', 'mailed_while_away', detail));
      return true;
    });
    // The visitor came meanwhile, or another process has the row: it is due again, and then it is seen which.
    if (!handed) return this.later(row, this.settings.WEB_CHAT_MAIL_SWEEP_MS);
    const { organization_id, project_id } = row;
    const receipt_id = row.receipt_id ?? delivery;
    const job = { delivery_id: delivery, organization_id, project_id, receipt_id, turn_id: null };
    // If this is lost, the sweep over deliveries finds the row: the mail has not failed.
    await this.jobs.enqueue(deliverySend, job).catch(() => undefined);
  }

  /** @throws PermanentFailure */
  private async whereTo(row: WebChatMail) {
    const { mail_app_id: mailApp, subject } = await this.addresses.setting(row.app_id);
    if (mailApp === null) throw new PermanentFailure('mail_off', 'Answers of this web chat no longer go by mail.');
    const app = await this.apps.find(scopeOf(row), mailApp);
    if (typeof app === 'string') throw new PermanentFailure('mail_app_unusable', app);
    const address = await this.addresses.of({ appId: row.app_id, visitor: row.visitor });
    if (!address || address.verified_by === null || address.off_at !== null || address.refused) {
      throw new PermanentFailure('mail_refused', refusedWords);
    }
    return { address, app, subject };
  }

  private later(row: WebChatMail, ms: number): Promise<void> {
    const verdict = { do: 'later', ms: Math.max(10, ms), code: 'visitor_present', ages: false } as const;
    return this.mails.settle(settlementOf(row.id, row, verdict, policy));
  }

  /** Files go with the mail up to its limit; others are named in it. */
  private async attached(row: WebChatMail, files: { id: string; name: string; size: number }[], app: MailApp) {
    const heads = [];
    const contents: Buffer[] = [];
    const left: string[] = [];
    let room = Math.min(this.settings.DELIVERY_ATTACHMENTS_MAX_BYTES, app.maxFileBytes ?? Number.MAX_SAFE_INTEGER);
    for (const { id, name, size } of files) {
      const file =
        app.takesFiles && size <= room
          ? await this.files.content({ appId: row.app_id, visitor: row.visitor }, id)
          : null;
      if (!file) {
        left.push(name);
        continue;
      }
      room -= size;
      contents.push(file.content);
      const sha256 = createHash('sha256').update(file.content).digest('hex');
      heads.push({ name, content_type: file.content_type, size: file.content.length, sha256 });
    }
    return { heads, contents, left };
  }

  private async note(
    row: WebChatMail,
    outcome: 'running' | 'failed',
    reason: string,
    detail: Record<string, unknown>,
  ): Promise<void> {
    await this.journal.appendNow(this.entry(row, outcome, reason, detail));
  }

  /** About the mail itself: an entry about the answer's delivery would be its last, and take back that it arrived. */
  private entry(
    row: WebChatMail,
    outcome: 'running' | 'ok' | 'failed',
    reason: string,
    detail: Record<string, unknown>,
  ) {
    const { id: subject_id, receipt_id, organization_id, project_id, app_id, message_id, tries: attempt } = row;
    const whose = { receipt_id: receipt_id ?? '', organization_id, project_id, app_id };
    const answer_id = message_id?.split('/')[0] ?? null;
    return {
      ...whose,
      stage: 'delivery',
      outcome,
      reason,
      subject_id,
      attempt,
      detail: { ...detail, answer_id },
    } as const;
  }
}

const refusedWords = 'The visitor wants no mails, or has no verified address: the answer waits in the chat.';

export const offLink = (publicUrl: string, token: string): string =>
  `${new URL(publicUrl).origin}/api/v1/web-chat/mail/off?token=${token}`;
