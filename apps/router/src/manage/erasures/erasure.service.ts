import { type ProjectScope, scopeOf } from '#libs/contracts';
import { Database, Sweeping } from '#libs/database';
import { eraseDetails, Journal, timeline } from '#libs/journal';
import { RunLater } from '#libs/queue';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { type Policy, settlementOf, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENGINE, GATEWAY, INGRESS, type RouterSettings, SETTINGS } from '../../env.js';
import { ContactRepository } from '../contacts/contact.repository.js';
import type { ContactErasure, ErasureReport } from './erasure.entity.js';
import { type ErasedMessage, ErasureRepository } from './erasure.repository.js';

/** Messages of one round through the services. */
const atOnce = 100;
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
  /** Deliveries of the turns. */
  delivery_ids?: string[];
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
    const { merged_into: into } = await this.contact(caller, contactId);
    if (into !== null) {
      throw new Problem(409, 'contact_merged', `The contact ${contactId} was merged into ${into}: erase that one.`);
    }
    return this.erasures.ask(caller, contactId);
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
      await this.eraseMessages(row, scope, messages);
    }
    const by = row.asked_by;
    const inEngine = await this.askFor(this.engine, scope, { contact_ids: family, by });
    const identities = await this.erasures.senders(family);
    const delivery_ids = inEngine.delivery_ids ?? [];
    const inGateway = await this.askFor(this.gateway, scope, { identities, delivery_ids, by });
    await this.erasures.add(row, { engine: inEngine.erased, 'adapter-gateway': inGateway.erased });
    requireClosed(inEngine, inGateway);
    await this.eraseTimelines(scope, family, lost);
    if (row.pass === 1) await this.erasures.nextPass(row, this.settings.ERASURE_SETTLE_MS);
    else await this.erasures.end(row, family);
  }

  private async eraseTimelines(scope: ProjectScope, family: string[], lost: AbortSignal): Promise<void> {
    for (let after = ''; ;) {
      lost.throwIfAborted();
      const receipts = await this.erasures.receipts(family, after, atOnce);
      await eraseDetails(this.db, scope, receipts);
      after = receipts.at(-1) ?? '';
      if (receipts.length < atOnce) return;
    }
  }

  private async eraseMessages(row: ContactErasure, scope: ProjectScope, messages: ErasedMessage[]): Promise<void> {
    const { asked_by: by } = row;
    const receipt_ids = [...new Set(messages.map(({ receipt_id: id }) => id))];
    const inEngine = await this.askFor(this.engine, scope, { receipt_ids, by });
    const delivery_ids = [
      ...new Set([...(inEngine.delivery_ids ?? []), ...(await this.deliveriesOf(scope, receipt_ids))]),
    ];
    const inGateway = await this.askFor(this.gateway, scope, { delivery_ids, receipt_ids, by });
    const inIngress = await this.askFor(this.ingress, scope, { receipt_ids, by });
    const report: ErasureReport = {
      engine: inEngine.erased,
      'adapter-gateway': inGateway.erased,
      'webhook-ingress': inIngress.erased,
    };
    if (inEngine.open + inGateway.open > 0) await this.erasures.add(row, report);
    requireClosed(inEngine, inGateway);
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

  private askFor(service: ServiceClient, scope: ProjectScope, body: object): Promise<Erased> {
    return service.post<Erased>('/internal/erasures', scope, body);
  }
}

/** @throws RunLater while something is in flight that would write what was erased */
function requireClosed(...answers: Erased[]): void {
  const open = answers.reduce((sum, { open: n }) => sum + n, 0);
  if (open === 0) return;
  throw new RunLater(stillOpenMs, 'still_open', `${open} turns or deliveries have not ended yet, or just have.`);
}
