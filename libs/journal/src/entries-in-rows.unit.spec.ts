import { inRow } from './entries-in-rows.js';
import type { JournalEntry } from './entry.js';

const subject = { receipt_id: 'evt_1', organization_id: 'org_1', project_id: 'prj_1', app_id: 'app_1' };
const entry = (change: Partial<JournalEntry> = {}): JournalEntry => ({
  ...subject,
  stage: 'turn',
  outcome: 'succeeded',
  detail: { reply: 'sent', steps: 2, model: 'm' },
  ...change,
});
const ofRow = { reply: 'sent', steps: 2 };

describe('an entry in the row that it is about', () => {
  it('has what the row does not say: how long it took, a later attempt, further details', () => {
    expect(inRow(entry({ attempt: 1, duration_ms: 5.25369 }), 'engine', ofRow)).toEqual({
      ms: 5.254,
      detail: { model: 'm' },
    });
    expect(inRow(entry({ attempt: 3 }), 'engine', ofRow)).toEqual({ attempt: 3, detail: { model: 'm' } });
    expect(inRow(entry({ detail: { ...ofRow } }), 'engine', ofRow)).toEqual({});
    expect(inRow(entry({ detail: null }), 'engine', {})).toEqual({});
  });

  it('keeps a detail that is another one than the row says', () => {
    expect(inRow(entry({ detail: { reply: 'sent', steps: 3 } }), 'engine', ofRow)).toEqual({ detail: { steps: 3 } });
  });

  it('keeps the steps that share its row', () => {
    const at = new Date();
    const step = {
      ...subject,
      stage: 'parsed',
      outcome: 'ok',
      at: new Date(at.getTime() - 4),
      duration_ms: 1,
    } as const;
    const kept = inRow(entry({ detail: null, before: [step], at }), 'adapter-gateway', {});
    expect(kept).toEqual({ detail: { steps_before: [['parsed', 4, 1, null]] } });
  });

  it.each([
    ['lacks a detail that its row would add', { detail: { reply: 'sent' } }],
    [
      'quotes somebody, which an erasure has to find in the journal',
      { detail: { ...ofRow, error: 'no such user ada' } },
    ],
  ])('is none if it %s', (_, change) => {
    expect(inRow(entry(change), 'engine', ofRow)).toBeNull();
  });
});
