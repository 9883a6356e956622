import { everyEntry } from '#libs/journal';
import type { JournalEntry } from '#libs/journal';
import { noLimits, ProjectLimits } from '#libs/project-limits';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';
import { ProjectRetention } from './retention.repository.js';
import type { Receipt } from '../../path/receipts/receipt.repository.js';

const dayMs = 86_400_000;
let world: ReceiptsWorld;

beforeAll(async () => {
  world = await receiptsWorld();
});
afterAll(() => world.close());

const entryOf = ({ id, projectId, receivedAt }: Receipt): JournalEntry => ({
  receipt_id: id,
  organization_id: 'org_1',
  project_id: projectId,
  app_id: 'app_1',
  at: receivedAt,
  stage: 'routed',
  outcome: 'routed',
});

describe('the retention of a project', () => {
  it('deletes its receipts and their journal entries, some at a time, and nothing of another project', async () => {
    const made = ['prj_short', 'prj_long'].flatMap((projectId) =>
      [6, 8, 8, 8].map((days) => receipt({ projectId, receivedAt: new Date(Date.now() - days * dayMs) })),
    );
    const writer = world.writer();
    for (const one of made) {
      await writer.write(one, null);
      await world.journal.appendNow(entryOf(one));
    }
    const limits = new ProjectLimits(world.db, 'ingress');
    await limits.set('org_1', 'prj_short', { ...noLimits, retention_days: 7 });
    await limits.set('org_1', 'prj_long', { ...noLimits, retention_days: 90 });
    const retention = new ProjectRetention(world.db, world.journal, limits, { RETENTION_DAYS: 30 });
    expect(await retention.deleteOld(2)).toBe(2);
    expect(await retention.deleteOld(2)).toBe(1);
    expect(await retention.deleteOld(2)).toBe(0);
    const kept = made.filter((one) => one.projectId === 'prj_long' || one === made[0]).map(({ id }) => id);
    expect((await world.receipts.findAll(made.map(({ id }) => id))).map(({ id }) => id)).toEqual(kept.toSorted());
    const entries = await world.query<{ receipt_id: string }>(`SELECT receipt_id FROM ${everyEntry} e ORDER BY 1`);
    expect(entries.map(({ receipt_id }) => receipt_id)).toEqual(kept.toSorted());
  });
});
