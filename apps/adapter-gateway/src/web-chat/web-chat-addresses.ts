import { deliverySend, newId, type OutboundContent, scopeOf } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { bySetting, limitReached, networkOf, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash, randomInt } from 'node:crypto';
import type { AppRow } from '../entities/app.entity.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { AddressRate } from './address-rate.js';
import { WebChatAddressRepository } from './web-chat-address.repository.js';
import { WebChatMailApps } from './web-chat-mail-app.js';
import { type CodeCounts, WebChatMailRepository } from './web-chat-mail.repository.js';
import { codeText, subjectOf } from './web-chat-mail-text.js';
import { offLink } from './web-chat-mails.js';
import type { Visit } from './web-chat-sites.js';

/** Answers by mail, as a page sees them. */
export interface MailState {
  /** `unset`: the visitor may name an address. `code`: a code was sent there. */
  state: 'unset' | 'code' | 'on' | 'off';
  /** Masked. */
  email: string | null;
}

const dayS = 86_400;
/** One address, without a name; of RFC 5321 what is in use. */
const addressPattern =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const codePattern = /^\d{8}$/;

/** Visitors' mail addresses: who vouches for them, and whether answers may go there. */
@Injectable()
export class WebChatAddresses {
  private readonly asked = new AddressRate();

  constructor(
    private readonly addresses: WebChatAddressRepository,
    private readonly mails: WebChatMailRepository,
    private readonly apps: WebChatMailApps,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** Keeps the address that a signed token names. @returns null where no answers go by mail */
  async known(visit: Visit): Promise<MailState | null> {
    if ((await this.addresses.setting(visit.app.id)).mail_app_id === null) return null;
    const email = addressOf(visit.visitor.email);
    if (visit.visitor.signed && email !== null) await this.addresses.vouch(ownerOf(visit), email, this.host);
    return this.state(visit);
  }

  /**
   * Sends a code to an address that a visitor names; to that of the visitor's token none is needed.
   * @throws Problem 422 `invalid_email | mail_off | mail_refused`, 429
   */
  async ask(visit: Visit, given: unknown, clientAddress: string): Promise<MailState> {
    const network = networkOf(clientAddress);
    this.requireRoom(network);
    const email = addressOf(given);
    if (email === null) throw new Problem(422, 'invalid_email', 'This is not a mail address.');
    const { app } = visit;
    const { mail_app_id: mailAppId } = await this.addresses.setting(app.id);
    const mailApp = mailAppId === null ? 'no App' : await this.apps.find(scopeOf(app), mailAppId);
    if (typeof mailApp === 'string') throw new Problem(422, 'mail_off', 'Answers of this chat do not go by mail.');
    if (visit.visitor.signed && email === addressOf(visit.visitor.email)) {
      await this.addresses.vouch(ownerOf(visit), email, this.host);
      await this.addresses.turn(ownerOf(visit), true);
      return this.state(visit);
    }
    const code = String(randomInt(0, 100_000_000)).padStart(8, '0');
    const delivery = newId('dlv');
    const row = { id: newId('wcm'), ...columns(app), visitor: visit.visitor.id, network: digest(`network ${network}`) };
    await this.mails.transaction(async (tx) => {
      this.requireCounts(await this.mails.codesLately(tx, { ...row, email }));
      const token = await this.addresses.tokenFor(tx, app.id, email);
      if (token === null) throw new Problem(422, 'mail_refused', 'This address wants no mails of this chat.');
      const codeMs = this.settings.WEB_CHAT_CODE_MS;
      await this.addresses.ask(tx, ownerOf(visit), { email, codeHash: hashOf(visit, code), codeMs, host: this.host });
      const text = codeText(code, Math.round(codeMs / 60_000), offLink(this.settings.PUBLIC_URL, token));
      const target = { app_id: mailApp.id, channel_address: email, thread_id: null, reply_context: null };
      // Too late, a code is of no use.
      const content: OutboundContent = {
        text,
        subject: subjectOf(app.name),
        target: { ...target, ttl_seconds: Math.ceil(codeMs / 1_000) },
      };
      await this.mails.code(tx, row, { delivery, mailApp: mailApp.id, email, content, files: [] });
    });
    const { organization_id, project_id } = row;
    const job = { delivery_id: delivery, organization_id, project_id, receipt_id: delivery, turn_id: null };
    // If this is lost, the sweep over deliveries finds the row.
    await this.jobs.enqueue(deliverySend, job).catch(() => undefined);
    return this.state(visit);
  }

  /** @throws Problem 422 `wrong_code`, 429 */
  async confirm(visit: Visit, code: unknown, clientAddress: string): Promise<MailState> {
    this.requireRoom(networkOf(clientAddress));
    const right = typeof code === 'string' && codePattern.test(code.trim());
    if (!right || !(await this.addresses.confirm(ownerOf(visit), hashOf(visit, code.trim())))) {
      throw new Problem(422, 'wrong_code', 'This is not the code, or it is too old: ask for another one.');
    }
    return this.state(visit);
  }

  async stop(visit: Visit): Promise<MailState> {
    await this.addresses.turn(ownerOf(visit), false);
    return this.state(visit);
  }

  private async state(visit: Visit): Promise<MailState> {
    const row = await this.addresses.of(ownerOf(visit));
    if (!row) return { state: 'unset', email: null };
    const email = masked(row.email);
    if (row.off_at !== null || row.refused) return { state: 'off', email };
    if (row.verified_by !== null) return { state: 'on', email };
    return row.code_until && row.code_until.getTime() > Date.now()
      ? { state: 'code', email }
      : { state: 'unset', email: null };
  }

  private get host(): string {
    return new URL(this.settings.PUBLIC_URL).hostname.replace(/[^a-z0-9.-]/gi, '') || 'localhost';
  }

  private requireRoom(network: string): void {
    const { WEB_CHAT_RATE_PER_ADDRESS: value } = this.settings;
    const waitMs = this.asked.waitOf(network, value);
    if (waitMs > 0) throw full('WEB_CHAT_RATE_PER_ADDRESS', 'address', value, 60, waitMs / 1_000);
  }

  private requireCounts({ toAddress, ofNetwork, ofApp }: CodeCounts): void {
    const { WEB_CHAT_CODES_PER_ADDRESS, WEB_CHAT_CODES_PER_NETWORK, WEB_CHAT_CODES_PER_APP } = this.settings;
    const check = (name: string, of: 'address' | 'project', count: number, most: number): void => {
      if (count >= most) throw full(name, of, most, dayS, 3_600);
    };
    check('WEB_CHAT_CODES_PER_ADDRESS', 'address', toAddress, WEB_CHAT_CODES_PER_ADDRESS);
    check('WEB_CHAT_CODES_PER_NETWORK', 'address', ofNetwork, WEB_CHAT_CODES_PER_NETWORK);
    check('WEB_CHAT_CODES_PER_APP', 'project', ofApp, WEB_CHAT_CODES_PER_APP);
  }
}

function full(name: string, of: 'address' | 'project', value: number, window_seconds: number, waitS: number): Problem {
  const limit = { name, of, value, window_seconds, raise: bySetting(name, 'adapter-gateway') };
  return limitReached('too_many_mails', 'Too many mails with a code', limit, waitS);
}

const columns = ({ id: app_id, organization_id, project_id }: AppRow) => ({ app_id, organization_id, project_id });

const ownerOf = ({ app, visitor }: Visit) => ({
  appId: app.id,
  visitor: visitor.id,
  organizationId: app.organization_id,
});

/** In lower case, as nearly every server reads it; two spellings would count twice. */
export function addressOf(given: unknown): string | null {
  const text = typeof given === 'string' ? given.trim().toLowerCase() : '';
  return text.length <= 254 && text.indexOf('@') <= 64 && addressPattern.test(text) ? text : null;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const hashOf = ({ app, visitor }: Visit, code: string): string =>
  digest(`web chat code ${app.id} ${visitor.id} ${code}`);

/** Whoever looks over the visitor's shoulder learns no address. */
function masked(email: string): string {
  const at = email.indexOf('@');
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
