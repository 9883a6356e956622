import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { EndpointService } from '../../path/endpoints/endpoint.service.js';
import { Dispatcher } from '../../path/receipts/dispatcher.js';
import { LateWriter } from '../../path/receipts/receipt-writer.js';
import { type Receipt, ReceiptRepository } from '../../path/receipts/receipt.repository.js';
import { type HandedOnReceipt, itemOf, viewOf } from './handed-on.dto.js';
import { HandedOnRepository, type WaitingReceipts } from './handed-on.repository.js';

/** Of the bodies of one batch; a larger receipt travels alone. */
const batchBytes = 4 * 1024 * 1024;

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
    @Inject(Journal) private readonly journal: Pick<Journal, 'appendNow'>,
  ) {}

  waiting(scope: ProjectScope): Promise<WaitingReceipts> {
    return this.rows.waiting(scope);
  }

  /** The oldest receipts that have not ended, in order. */
  async next(scope: ProjectScope, limit: number): Promise<HandedOnReceipt[]> {
    const found = await this.receipts.findAll(await this.rows.next(scope, limit, batchBytes));
    const since = new Date(Math.min(...found.map(({ receivedAt }) => receivedAt.getTime())));
    const keys = found.length === 0 ? null : await this.rows.keysOf(idsOf(found), since);
    return found.map((receipt) => viewOf(receipt, keys?.get(receipt.id) ?? []));
  }

  /** They end here: the other installation has stored them. Said twice, it is entered twice and changes nothing. */
  async end(scope: ProjectScope, ids: string[], to: string): Promise<void> {
    const found = (await this.receipts.findAll(ids)).filter(({ projectId }) => projectId === scope.projectId);
    const detail = { to, event: 'It has the same id there.' };
    await Promise.all(
      found.map((receipt) =>
        this.journal.appendNow({
          receipt_id: receipt.id,
          ...columnsOf(receipt),
          app_id: receipt.appId,
          stage: 'received',
          outcome: 'handed_on',
          reason: 'project_left',
          detail,
        }),
      ),
    );
  }

  /**
   * Takes what another installation hands on. One that is here already is stored once.
   * @throws Problem 409 `app_unknown`: its App is not known here yet; 422 `receipt_wrong`
   */
  async take(scope: ProjectScope, given: HandedOnReceipt[]): Promise<void> {
    if (given.length === 0) return;
    if (given.some(({ app_id: id }) => !this.endpoints.get(id))) await this.endpoints.pullAfterNow();
    const items = given.map((each) => itemOf(each, { ...scope, outcome: this.outcomeOf(scope, each.app_id) }));
    if (items.some(({ receipt: { receivedAt } }) => Number.isNaN(receivedAt.getTime()))) {
      throw new Problem(
        422,
        'receipt_wrong',
        'received_at: give the time at which each receipt was received (RFC 3339).',
      );
    }
    const written = await Promise.all(items.map((item) => this.late.keep(item)));
    const stored = items.flatMap(({ receipt }, at) => (written[at]?.stored ? [receipt] : []));
    const times = items.map(({ receipt: { receivedAt } }) => receivedAt.getTime());
    const [since, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
    const open = await this.rows.keep(scope, idsOf(stored), since, until);
    for (const receipt of stored) {
      if (open.has(receipt.id) && receipt.outcome !== 'held') this.dispatcher.offer(receipt);
    }
  }

  /** @throws Problem 409 `app_unknown` for an App that is not the project's, as far as is known here */
  private outcomeOf({ projectId }: ProjectScope, appId: string): Receipt['outcome'] {
    const endpoint = this.endpoints.get(appId);
    if (endpoint?.project_id === projectId) return endpoint.state === 'paused' ? 'held' : 'accepted';
    throw new Problem(409, 'app_unknown', `The App ${appId} is not known here, or not yet.`);
  }
}

const idsOf = (receipts: { id: string }[]): string[] => receipts.map(({ id }) => id);
