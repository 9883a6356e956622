import { ModelError } from '../model/model.js';
import { nextTry } from './next-try.js';

const limits = { TURN_MAX_ATTEMPTS: 24, TURN_MAX_UNREADABLE: 5, TURN_WAIT_MS: 3_600_000, MODEL_TRIAL_MS: 30_000 };
const unreadable = new ModelError('model_malformed', 'the answer could not be read');
const after = (error: Error, tries: number, before: number) =>
  nextTry(error, { tries, unreadable: before, waits: 0, awayMs: null }, limits).again;

describe('the next try of a turn', () => {
  it('after an answer that cannot be read depends on how many of those there were, not on other failures', () => {
    expect(after(unreadable, 9, 0)).toBe(true);
    expect(after(unreadable, 9, 3)).toBe(true);
    expect(after(unreadable, 9, 4)).toBe(false);
    expect(after(unreadable, 5, 4)).toBe(false);
  });

  it('ends at the limit of all tries, whatever the failures were', () => {
    expect(after(unreadable, 24, 0)).toBe(false);
    expect(after(new Error('the database restarted'), 23, 4)).toBe(true);
    expect(after(new Error('the database restarted'), 24, 0)).toBe(false);
  });
});
