import { readersOf, type ReplyTarget } from '#libs/contracts';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { EventResultRepository } from '../events/event-result.repository.js';
import { type EventState, eventState } from '../events/outcome-words.js';
import { HeldRepository } from '../held/held.repository.js';
import { Rerouter } from '../messages/reroute.service.js';
import { replyTargetOf, senderAddressOf } from '../../path/routing/draft.js';
import { unknownSendersOf } from '../../path/routing/decide.js';
import type { MessageRow } from '../../entities/message.entity.js';
import type { ContactRow } from './contact.entity.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { ContactRepository, type Identity } from './contact.repository.js';
import { newPairingCode, pairingHash } from '../../path/senders/senders.js';

export type ContactMessage = MessageRow & EventState;
/** With the sender as whom the App knows the contact. */
export type PrivateAddress = ReplyTarget & { sender: string };
export type ContactDetail = ContactRow & { identities: Identity[]; merged: string[]; has_erasure: boolean };

/** The operations that people perform on contacts. */
@Injectable()
export class ContactService {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly held: HeldRepository,
    private readonly results: EventResultRepository,
    private readonly rerouter: Rerouter,
    private readonly rules: ProjectRules,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<ContactDetail> {
    const row = await this.find(caller, id);
    const [identities, family, has_erasure] = await Promise.all([
      this.contacts.identitiesOf(id),
      this.contacts.family(id),
      this.contacts.hasErasure(id),
    ]);
    return { ...row, identities, merged: family.filter((each) => each !== id), has_erasure };
  }

  /** With what became of the event of each. @throws Problem 404 */
  async messages(caller: Principal, id: string, cursor: string | null, limit: number): Promise<ContactMessage[]> {
    await this.find(caller, id);
    const rows = await this.held.messagesOf(await this.contacts.family(id), cursor, limit);
    const events = [...new Set(rows.map((row) => row.receipt_id))];
    const results = await this.results.of(caller, events);
    return rows.map((row) => ({ ...row, ...eventState(row.outcome, row.reason, results.get(row.receipt_id) ?? null) }));
  }

  async change(
    caller: Principal,
    id: string,
    { reads_as: given, ...change }: { name?: string; daily_budget?: number | null; reads_as?: string[] },
  ): Promise<ContactDetail> {
    const { reads_as: before } = await this.findOwn(caller, id);
    const readsAs = given === undefined ? undefined : readersOf(given);
    if (typeof readsAs === 'string') {
      const errors = [{ field: 'reads_as', message: readsAs }];
      throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
    }
    await this.contacts.change(id, change);
    if (readsAs !== undefined) await this.contacts.setReadsAs(caller, id, before, readsAs);
    return this.get(caller, id);
  }

  /** Makes a contact known and routes its held messages; called again, it routes those that are still held. */
  async admit(caller: Principal, id: string): Promise<{ contact: ContactDetail; released: number }> {
    await this.findOwn(caller, id);
    await this.contacts.change(id, { status: 'known' });
    // After the commit: a message that arrives from now on is not held any more.
    const held = await this.held.heldOf(await this.contacts.family(id));
    const { released } = await this.rerouter.release(caller, held, null);
    return { contact: await this.get(caller, id), released: released.length };
  }

  async block(caller: Principal, id: string): Promise<ContactDetail> {
    await this.findOwn(caller, id);
    await this.contacts.change(id, { status: 'blocked' });
    return this.get(caller, id);
  }

  /** A blocked contact becomes unknown: admitting it is a separate decision. */
  async unblock(caller: Principal, id: string): Promise<ContactDetail> {
    const row = await this.findOwn(caller, id);
    if (row.status === 'blocked') await this.contacts.change(id, { status: 'unknown' });
    return this.get(caller, id);
  }

  async resume(caller: Principal, id: string): Promise<ContactDetail> {
    await this.findOwn(caller, id);
    await this.contacts.resume(id);
    return this.get(caller, id);
  }

  /** @throws Problem 404; 409 `contact_merged | contact_erased`; 422 `merge_into_itself` */
  async merge(caller: Principal, id: string, into: string): Promise<ContactDetail> {
    if (id === into) throw new Problem(422, 'merge_into_itself', 'A contact cannot be merged into itself.');
    await this.findOwn(caller, id);
    await this.findOwn(caller, into);
    await this.contacts.merge(id, into);
    return this.get(caller, into);
  }

  /** @throws Problem 404; 409 `contact_not_merged` */
  async unmerge(caller: Principal, id: string): Promise<ContactDetail> {
    const row = await this.find(caller, id);
    if (row.merged_into === null) throw new Problem(409, 'contact_not_merged', `The contact ${id} is not merged.`);
    await this.contacts.unmerge(id, row.merged_into);
    return this.get(caller, id);
  }

  /** A code that makes whoever sends it over the App a known contact. It is shown only this once. */
  async pairingCode(caller: Principal, appId: string): Promise<{ code: string; expires_at: string }> {
    const rules = await this.rules.of(caller.projectId);
    if (!rules.channels.has(appId)) throw notFound('channel', appId);
    requirePairing(unknownSendersOf(rules, appId));
    const code = newPairingCode();
    const expiresAt = new Date(Date.now() + this.settings.PAIRING_CODE_MS);
    await this.contacts.addPairingCode(appId, pairingHash(code), caller.subject, expiresAt);
    return { code, expires_at: expiresAt.toISOString() };
  }

  /**
   * Where a known contact was last alone with an App that can answer; null: nowhere.
   * @param orByMail else the address that it last wrote a mail from: for what the mailbox's owner alone should read, and
   * not for what an answer by mail decides, as anybody can write a sender's address
   */
  async privateAddress(caller: Principal, id: string, orByMail: boolean): Promise<PrivateAddress | null> {
    const { status } = await this.find(caller, id);
    if (status !== 'known') return null;
    const family = await this.contacts.family(id);
    for (const { app_id, message } of await this.contacts.privateMessages(family)) {
      const target = replyTargetOf(app_id, message);
      const address = target.channel_address ?? senderAddressOf(message);
      if (address !== null) return { ...target, channel_address: address, sender: message.sender };
    }
    if (!orByMail) return null;
    // A mail of its own: not to `Reply-To`, which may be somebody else's, and in no thread, whose mails others get.
    const mail = (await this.contacts.mails(family)).find(({ message: { sender } }) => mailAddress.test(sender));
    if (!mail) return null;
    const { app_id, message } = mail;
    return { app_id, channel_address: message.sender, thread_id: null, reply_context: null, sender: message.sender };
  }

  /** Addresses and groups of a known contact: those that people set, and its own addresses. @throws Problem 404 */
  async readsAs(caller: Principal, id: string): Promise<string[]> {
    const { status, reads_as: set } = await this.find(caller, id);
    if (status !== 'known') return [];
    const senders = (await this.contacts.identitiesOf(id)).map(({ sender }) => readersOf([sender]));
    return [...new Set([...set, ...senders.flatMap((one) => (typeof one === 'string' ? [] : one.filter(isAddress)))])];
  }

  private async find(caller: Principal, id: string): Promise<ContactRow> {
    const row = await this.contacts.find(caller.organizationId, caller.projectId, id);
    if (!row) throw notFound('contact', id);
    return row;
  }

  /** A merged contact is changed through the one that it was merged into. */
  private async findOwn(caller: Principal, id: string): Promise<ContactRow> {
    const row = await this.find(caller, id);
    if (row.merged_into === null) return row;
    throw new Problem(409, 'contact_merged', `The contact ${id} was merged into ${row.merged_into}: change that one.`);
  }
}

/** One address and nothing beside it: what a group forwards is `ada@x.example via group@x.example`. */
const mailAddress = /^[^\s@<>,;]+@[^\s@<>,;]+$/;

/** A sender that calls itself a group is none. */
const isAddress = (reader: string): boolean => !reader.startsWith('group:');

/** @throws Problem 422 for an App whose channel does not pair */
function requirePairing(policy: string): void {
  if (policy !== 'pair') {
    throw new Problem(
      422,
      'channel_does_not_pair',
      `The channel's unknown_senders is ${policy}: set it to pair first.`,
    );
  }
}
