import { type ProjectScope, scopeOf } from '#libs/contracts';
import { Database, Sweeping } from '#libs/database';
import { eraseDetails, Journal, timeline } from '#libs/journal';
import { RunLater } from '#libs/queue';
import { notFound, type Principal, type ServiceClient } from '#libs/service-kit';
import { type Policy, settlementOf, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENGINE, GATEWAY, INGRESS, type RouterSettings, SETTINGS } from '../../env.js';
import { ContactRepository } from '../contacts/contact.repository.js';
import type { ContactErasure, ErasureReport } from './erasure.entity.js';
import { type ErasedMessage, ErasureRepository } from './erasure.repository.js';

/** Messages of one round through the services. */
const atOnce = 100;
/** Of each list that a service is sent; the rest goes with further calls. */
const listedAtOnce = 500;
const detailChars = 500;
/** A turn or delivery in flight ends within that. */
const stillOpenMs = 5_000;
const policy: Policy = {
  tries: 100,
  backoff: { baseMs: 1_000, capMs: 600_000 },
  jitter: 0.5,
  ageMs: null,
  failuresAge: false,
};

/** What a service answers. */
interface Erased {
  /** Rows, by kind. */
  erased: Record<string, number>;
  /** Work in flight that was left: it is asked for again. */
  open: number;
  turn_ids?: string[];
  /** Deliveries of the turns. */
  delivery_ids?: string[];
}

/** The events of messages. */
interface Events {
  all: string[];
  /** Those in which nobody else has a message. */
  own: string[];
}

/** What the engine and the gateway had of messages. */
interface ErasedWork {
  /** What timelines say of them: messages, turns and deliveries. */
  subjects: string[];
  report: ErasureReport;
  answers: Erased[];
}

/**
 * Erases what services have of a contact (docs/decisions/0190). The router knows the contact, so its row of work goes
 * through the services one by one; each of them erases what it is asked for, and nothing when asked again.
 */
@Injectable()
export class ErasureService extends Sweeping {
  private readonly logger = new Logger('erasures');

  constructor(
    private readonly erasures: ErasureRepository,
    private readonly contacts: ContactRepository,
    private readonly db: Database,
    private readonly journal: Journal,
    @Inject(ENGINE) private readonly engine: ServiceClient,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    @Inject(INGRESS) private readonly ingress: ServiceClient,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    super();
    const everyMs = settings.ERASURE_SWEEP_MS;
    this.sweepEvery({ name: 'erasures', everyMs, batch: 5, sweep: (limit) => this.runDue(limit) });
  }

  /** @throws Problem 404; 409 `contact_merged` */
  async ask(caller: Principal, contactId: string): Promise<ContactErasure> {
    await this.contact(caller, contactId);
    return this.erasures.ask(caller, contactId, await this.contacts.family(contactId));
  }

  /** @throws Problem 404 `contact_not_found | erasure_not_found` */
  async of(caller: Principal, contactId: string): Promise<ContactErasure> {
    await this.contact(caller, contactId);
    const row = await this.erasures.of(contactId);
    if (!row) throw notFound('erasure', contactId);
    return row;
  }

  private async contact({ organizationId, projectId }: Principal, id: string) {
    const contact = await this.contacts.find(organizationId, projectId, id);
    if (!contact) throw notFound('contact', id);
    return contact;
  }

  private async runDue(limit: number): Promise<number> {
    const due = await this.erasures.work.claimDue(limit);
    await Promise.all(due.map((row) => this.run(row)));
    return due.length;
  }

  private async run(row: ContactErasure): Promise<void> {
    const { contact_id: key, claim } = row;
    try {
      await this.erasures.work.run({ key, claim }, (lost) => this.erase(row, lost));
    } catch (error) {
      const detail = (error instanceof Error ? error.message : String(error)).slice(0, detailChars);
      this.logger.warn({ event: 'erasure.failed', contact_id: key, reason: detail });
      await this.erasures.settle(settlementOf(key, row, verdictOf(error), policy), detail);
    }
  }

  private async erase(row: ContactErasure, lost: AbortSignal): Promise<void> {
    const scope = scopeOf(row);
    const family = await this.contacts.family(row.contact_id);
    for (;;) {
      lost.throwIfAborted();
      const messages = await this.erasures.messages(family, atOnce);
      if (messages.length === 0) break;
      await this.eraseMessages(row, scope, family, messages);
    }
    const by = row.asked_by;
    const inEngine = await this.askFor(this.engine, scope, by, { contact_ids: family });
    const identities = await this.erasures.senders(family);
    const { delivery_ids } = inEngine;
    const inGateway = await this.askFor(this.gateway, scope, by, { identities, delivery_ids });
    await this.erasures.add(row, { engine: inEngine.erased, 'adapter-gateway': inGateway.erased });
    requireClosed(inEngine, inGateway);
    await this.eraseTimelines(row, scope, family, lost);
    if (row.pass === 1) await this.erasures.nextPass(row, this.settings.ERASURE_SETTLE_MS);
    else await this.erasures.end(row, family);
  }

  private async eraseTimelines(
    row: ContactErasure,
    scope: ProjectScope,
    family: string[],
    lost: AbortSignal,
  ): Promise<void> {
    for (let after = ''; ;) {
      lost.throwIfAborted();
      const messages = await this.erasures.everyMessage(family, after, atOnce);
      const events = await this.eventsOf(messages, family);
      const subjects = messages.map(({ id }) => id);
      if (row.pass > 1) {
        // A reply that was on its way to the gateway in the first pass is there now, and its message was empty already.
        const late = await this.eraseWork(row, scope, messages, events);
        await this.erasures.add(row, late.report);
        requireClosed(...late.answers);
        subjects.push(...late.subjects);
      }
      await eraseDetails(this.db, scope, events.own);
      // What is said there of others stays.
      const shared = events.all.filter((id) => !events.own.includes(id));
      await eraseDetails(this.db, scope, shared, subjects);
      after = messages.at(-1)?.id ?? '';
      if (messages.length < atOnce) return;
    }
  }

  private async eraseMessages(
    row: ContactErasure,
    scope: ProjectScope,
    family: string[],
    messages: ErasedMessage[],
  ): Promise<void> {
    const { asked_by: by } = row;
    const events = await this.eventsOf(messages, family);
    const mails = await this.erasures.mailsOf(
      scope,
      messages.map(({ id }) => id),
    );
    const { report, answers } = await this.eraseWork(row, scope, messages, events, mails);
    const inIngress = await this.askFor(this.ingress, scope, by, { receipt_ids: [...events.all, ...mails] });
    report['webhook-ingress'] = inIngress.erased;
    if (answers.some(({ open }) => open > 0)) await this.erasures.add(row, report);
    requireClosed(...answers);
    const whole = { ...report, router: { messages: messages.length } };
    await this.erasures.erase(row, messages, whole, async (tx) => {
      for (const { receipt_id, app_id, id } of messages) {
        const { organization_id, project_id } = row;
        const detail = { by, text: 'The data of its sender was erased: message, request, turns and deliveries.' };
        const entry = { stage: 'routed', outcome: 'ok', reason: 'erased', subject_id: id, detail } as const;
        await this.journal.appendIn(tx, { receipt_id, organization_id, project_id, app_id, ...entry });
      }
    });
  }

  private async eraseWork(
    { asked_by: by }: ContactErasure,
    scope: ProjectScope,
    messages: ErasedMessage[],
    { all, own }: Events,
    mails: string[] = [],
  ): Promise<ErasedWork> {
    const message_ids = messages.map(({ id }) => id);
    const theirs = { receipt_ids: all, own_receipt_ids: own, message_ids };
    const inEngine = await this.askFor(this.engine, scope, by, theirs);
    const delivery_ids = [...new Set([...inEngine.delivery_ids, ...(await this.deliveriesOf(scope, own))])];
    const inGateway = await this.askFor(this.gateway, scope, by, { delivery_ids, receipt_ids: [...own, ...mails] });
    return {
      subjects: [...message_ids, ...inEngine.turn_ids, ...delivery_ids],
      report: { engine: inEngine.erased, 'adapter-gateway': inGateway.erased },
      answers: [inEngine, inGateway],
    };
  }

  private async eventsOf(messages: ErasedMessage[], family: string[]): Promise<Events> {
    const all = [...new Set(messages.map(({ receipt_id: id }) => id))];
    const shared = await this.erasures.sharedAmong(all, family);
    return { all, own: all.filter((id) => !shared.has(id)) };
  }

  /** Also those that no turn made: replies of people, notices, mails. */
  private async deliveriesOf({ organizationId, projectId }: ProjectScope, receipts: string[]): Promise<string[]> {
    const found: string[] = [];
    for (const receipt of receipts) {
      for (const { subject_id: id } of await timeline(this.db, organizationId, projectId, receipt)) {
        if (id?.startsWith('dlv_')) found.push(id.split('/')[0] ?? id);
      }
    }
    return found;
  }

  /** In as many calls as its lists need. */
  private async askFor(
    service: ServiceClient,
    scope: ProjectScope,
    by: string,
    lists: Record<string, unknown[]>,
  ): Promise<Required<Erased>> {
    const sum = {
      erased: {} as Record<string, number>,
      open: 0,
      turn_ids: [] as string[],
      delivery_ids: [] as string[],
    };
    const longest = Math.max(...Object.values(lists).map(({ length }) => length));
    for (let from = 0; from < longest; from += listedAtOnce) {
      const some = Object.entries(lists).map(([name, list]) => [name, list.slice(from, from + listedAtOnce)]);
      const body = { ...Object.fromEntries(some), by };
      const {
        erased,
        open,
        turn_ids = [],
        delivery_ids = [],
      } = await service.post<Erased>('/internal/erasures', scope, body);
      for (const [kind, count] of Object.entries(erased)) sum.erased[kind] = (sum.erased[kind] ?? 0) + count;
      sum.open += open;
      sum.turn_ids.push(...turn_ids);
      sum.delivery_ids.push(...delivery_ids);
    }
    return sum;
  }
}

/** @throws RunLater while something is in flight that would write what was erased */
function requireClosed(...answers: Erased[]): void {
  const open = answers.reduce((sum, { open: n }) => sum + n, 0);
  if (open === 0) return;
  throw new RunLater(stillOpenMs, 'still_open', `${open} turns or deliveries have not ended yet, or just have.`);
}
