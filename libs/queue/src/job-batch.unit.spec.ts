import { appChanged, inboundParse } from '#libs/contracts';
import { batchesOf, batchId, batchLimits, oldestOf, type JobItem } from './job-batch.js';

const item = (id: string, text = ''): JobItem => ({
  payload: { receipt_id: id, text },
  attempts: 0,
  addedAtMs: Date.now(),
});
const sizes = (items: JobItem[]): number[] => batchesOf(items).map((one) => one.items.length);

describe('a batch', () => {
  it('takes as many items as its limit, in order, and loses none', () => {
    const all = Array.from({ length: 70 }, (_, n) => item(`evt_${n}`));
    expect(sizes(all)).toEqual([32, 32, 6]);
    expect(batchesOf(all).flatMap((one) => one.items)).toEqual(all);
    expect(batchesOf([])).toEqual([]);
  });

  it('is smaller when its items are big, and an item over the limit goes alone', () => {
    const half = 'x'.repeat(batchLimits.maxBytes / 2 - 100);
    const whole = 'x'.repeat(batchLimits.maxBytes * 2);
    expect(sizes([item('a', half), item('b', half), item('c', half)])).toEqual([2, 1]);
    expect(sizes([item('a'), item('b', whole), item('c')])).toEqual([1, 1, 1]);
  });

  it('has the id of its only item, else one id per set, whatever its order', () => {
    const [a, b] = [item('evt_a'), item('evt_b')];
    expect(batchId(inboundParse, { items: [a] })).toBe('evt_a');
    const together = batchId(inboundParse, { items: [a, b] });
    expect(together).toMatch(/^set_[0-9a-f]{32}$/);
    expect(batchId(inboundParse, { items: [b, a] })).toBe(together);
    expect(batchId(inboundParse, { items: [a, item('evt_c')] })).not.toBe(together);
    const [one, next] = [1, 2].map((version) => ({
      items: [{ payload: { app_id: 'app_1', version }, attempts: 0, addedAtMs: 0 }],
    }));
    expect(batchId(appChanged, one!)).not.toBe(batchId(appChanged, next!));
  });

  it('is as old as its oldest item', () => {
    const items = [3, 1, 2].map((addedAtMs) => ({ payload: {}, attempts: 0, addedAtMs }));
    expect(oldestOf({ items })).toBe(1);
  });
});
