import { appChanged, inboundParse } from '#libs/contracts';
import { companies, companyId, companyLimits, oldestOf, type Traveller } from './company.js';

const traveller = (id: string, text = ''): Traveller => ({
  payload: { receipt_id: id, text },
  attempts: 0,
  addedAtMs: Date.now(),
});
const sizes = (travellers: Traveller[]): number[] => companies(travellers).map((one) => one.travellers.length);

describe('a company', () => {
  it('takes as many as its limit, in order, and loses nobody', () => {
    const all = Array.from({ length: 70 }, (_, n) => traveller(`evt_${n}`));
    expect(sizes(all)).toEqual([32, 32, 6]);
    expect(companies(all).flatMap((one) => one.travellers)).toEqual(all);
    expect(companies([])).toEqual([]);
  });

  it('is smaller when its travellers are big, and one that is too big for any goes alone', () => {
    const half = 'x'.repeat(companyLimits.maxBytes / 2 - 100);
    const whole = 'x'.repeat(companyLimits.maxBytes * 2);
    expect(sizes([traveller('a', half), traveller('b', half), traveller('c', half)])).toEqual([2, 1]);
    expect(sizes([traveller('a'), traveller('b', whole), traveller('c')])).toEqual([1, 1, 1]);
  });

  it("has its traveller's own id when alone, else one id for one set, whatever its order", () => {
    const [a, b] = [traveller('evt_a'), traveller('evt_b')];
    expect(companyId(inboundParse, { travellers: [a] })).toBe('evt_a');
    const together = companyId(inboundParse, { travellers: [a, b] });
    expect(together).toMatch(/^set_[0-9a-f]{32}$/);
    expect(companyId(inboundParse, { travellers: [b, a] })).toBe(together);
    expect(companyId(inboundParse, { travellers: [a, traveller('evt_c')] })).not.toBe(together);
    const [one, next] = [1, 2].map((version) => ({
      travellers: [{ payload: { app_id: 'app_1', version }, attempts: 0, addedAtMs: 0 }],
    }));
    expect(companyId(appChanged, one!)).not.toBe(companyId(appChanged, next!));
  });

  it('is as old as its oldest traveller', () => {
    const travellers = [3, 1, 2].map((addedAtMs) => ({ payload: {}, attempts: 0, addedAtMs }));
    expect(oldestOf({ travellers })).toBe(1);
  });
});
