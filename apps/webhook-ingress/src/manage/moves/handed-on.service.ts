import { columnsOf, type Endpoint, type ProjectScope } from '#libs/contracts';
import { isRefusedRow } from '#libs/database';
import { Journal, type JournalEntry } from '#libs/journal';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { EndpointService } from '../../path/endpoints/endpoint.service.js';
import { Dispatcher } from '../../path/receipts/dispatcher.js';
import { PublicAddress } from '../../path/receipts/receipt-job.js';
import { LateWriter } from '../../path/receipts/receipt-writer.js';
import { type Receipt, ReceiptRepository } from '../../path/receipts/receipt.repository.js';
import type { Item } from '../../path/receipts/write-receipts.js';
import { type HandedOnDead, type HandedOnReceipt, itemOf, requireReceipt, viewOf } from './handed-on.dto.js';
import { HandedOnRepository, type WaitingReceipts } from './handed-on.repository.js';

/** Of the bodies of one batch; a larger receipt travels alone. */
const batchBytes = 4 * 1024 * 1024;

/** Why an App takes no webhooks, as whoever sends one to this installation is refused. */
const refusals = { disabled: 'app_disabled', project_closed: 'project_closed', retired: 'app_retired' } as const;

/**
 * Webhooks of a project that has moved, on both sides (docs/decisions/0205): where they come, they are read and end once the other
 * installation has them; there they are stored as they were received, under the same id.
 */
@Injectable()
export class HandedOnService {
  constructor(
    private readonly rows: HandedOnRepository,
    private readonly receipts: ReceiptRepository,
    private readonly endpoints: EndpointService,
    private readonly late: LateWriter,
    private readonly dispatcher: Dispatcher,
    private readonly at: PublicAddress,
    @Inject(Journal) private readonly journal: Pick<Journal, 'appendNow' | 'endedAmong'>,
  ) {}

  waiting(scope: ProjectScope): Promise<WaitingReceipts> {
    return this.rows.waiting(scope);
  }

  /** The oldest receipts that have not ended, in order. */
  async next(scope: ProjectScope, limit: number): Promise<HandedOnReceipt[]> {
    const found = await this.receipts.findAll(await this.rows.next(scope, limit, batchBytes));
    if (found.length === 0) return [];
    const since = new Date(Math.min(...found.map(({ receivedAt }) => receivedAt.getTime())));
    const keys = await this.rows.keysOf(namesOf(found).ids, since);
    return found.map((receipt) => viewOf(receipt, keys.get(receipt.id) ?? [], this.at));
  }

  /** They end here: the other installation has stored them. Said twice, it is entered twice and changes nothing. */
  async end(scope: ProjectScope, ids: string[], to: string): Promise<void> {
    const detail = { to, event: 'It has the same id there.' };
    await this.enterAll(await this.findOwn(scope, ids), { outcome: 'handed_on', reason: 'project_left', detail });
  }

  /** The other installation never takes it: it ends here as a dead letter, and those behind it go on. */
  async deadLetter(scope: ProjectScope, { id, to, reason, error }: HandedOnDead): Promise<void> {
    await this.enterAll(await this.findOwn(scope, [id]), { outcome: 'dead', reason, detail: { to, error } });
  }

  /**
   * Takes what another installation hands on. One that is here already is stored once; one whose App takes no webhooks is
   * stored, and has ended.
   * @throws Problem 409 `app_unknown | id_taken`, 422 `receipt_wrong | receipt_refused`: one of them is never taken; 503
   */
  async take(scope: ProjectScope, given: HandedOnReceipt[]): Promise<void> {
    if (given.length === 0) return;
    for (const each of given) requireReceipt(each, Date.now());
    await this.knowApps(scope, given);
    const items = given.map((each) =>
      itemOf(each, { ...scope, outcome: this.appOf(scope, each.app_id).state === 'paused' ? 'held' : 'accepted' }),
    );
    const receipts = items.map(({ receipt }) => receipt);
    const [other] = await this.rows.ofOthers(scope, namesOf(receipts));
    if (other) throw new Problem(409, 'id_taken', `The id ${other} is one of another project here.`);
    await this.refuse(scope, receipts);
    const stored = await this.store(items);
    if (stored.length === 0) return;
    const open = await this.rows.keep(scope, namesOf(stored));
    for (const receipt of stored) {
      if (open.has(receipt.id) && receipt.outcome !== 'held') this.dispatcher.offer(receipt);
    }
  }

  /** Asks about Apps that are not known here, or refuse: that may have changed since. @throws Problem 503 */
  private async knowApps({ projectId }: ProjectScope, given: HandedOnReceipt[]): Promise<void> {
    const areKnown = given.every(({ app_id: id }) => {
      const endpoint = this.endpoints.get(id);
      return endpoint !== null && refusalOf(endpoint) === null;
    });
    if (areKnown || (await this.endpoints.pullAfterNow())) return;
    throw new Problem(503, 'apps_not_read', `The adapter-gateway does not say which Apps ${projectId} has.`);
  }

  /** @throws Problem 409 `app_unknown` */
  private appOf({ projectId, organizationId }: ProjectScope, appId: string): Endpoint {
    const endpoint = this.endpoints.get(appId);
    if (endpoint?.project_id === projectId && endpoint.organization_id === organizationId) return endpoint;
    throw new Problem(409, 'app_unknown', `The project has no App ${appId} here.`);
  }

  /** Ends those whose App takes no webhooks, before they are stored: nothing else may find them in between. */
  private async refuse(scope: ProjectScope, receipts: Receipt[]): Promise<void> {
    const byReason = Map.groupBy(receipts, ({ appId }) => refusalOf(this.appOf(scope, appId)));
    byReason.delete(null);
    if (byReason.size === 0) return;
    const ended = await this.journal.endedAmong(namesOf(receipts).ids);
    for (const [reason, refused] of byReason) {
      const fresh = refused.filter(({ id }) => !ended.has(id));
      await this.enterAll(fresh, { outcome: 'refused', reason, detail: null });
    }
  }

  /** @returns those that are here under their own id. @throws Problem 422 `receipt_refused` */
  private async store(items: Item[]): Promise<Receipt[]> {
    try {
      const written = await Promise.all(items.map((item) => this.late.keep(item)));
      return items.flatMap(({ receipt }, at) => (written[at]?.stored ? [receipt] : []));
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      throw new Problem(422, 'receipt_refused', `Postgres refuses a receipt: ${String(error)}`);
    }
  }

  private async findOwn({ organizationId, projectId }: ProjectScope, ids: string[]): Promise<Receipt[]> {
    const found = await this.receipts.findAll(ids);
    return found.filter((each) => each.projectId === projectId && each.organizationId === organizationId);
  }

  private async enterAll(
    receipts: Receipt[],
    entry: Required<Pick<JournalEntry, 'outcome' | 'reason' | 'detail'>>,
  ): Promise<void> {
    await Promise.all(
      receipts.map((receipt) =>
        this.journal.appendNow({
          receipt_id: receipt.id,
          ...columnsOf(receipt),
          app_id: receipt.appId,
          stage: 'received',
          ...entry,
        }),
      ),
    );
  }
}

const refusalOf = ({ state }: Endpoint): string | null =>
  state === 'active' || state === 'paused' ? null : refusals[state];

const namesOf = (receipts: Receipt[]): { ids: string[]; times: Date[] } => ({
  ids: receipts.map(({ id }) => id),
  times: receipts.map(({ receivedAt }) => receivedAt),
});
