import { PermanentFailure } from '#libs/queue';
import { ModelError } from '../model/model.js';
import { postponed, type Tried, turnSettlement } from './turn.verdict.js';

const limits = { TURN_MAX_ATTEMPTS: 24, TURN_MAX_UNREADABLE: 5, TURN_WAIT_MS: 3_600_000, MODEL_TRIAL_MS: 30_000 };
const unreadable = new ModelError('model_malformed', 'the answer could not be read');
const away = new ModelError('model_unavailable', 'the model answered 503');
const restarted = new Error('the database restarted');
const turn = (of: Partial<Tried> = {}): Tried => ({
  id: 'trn_1',
  claim: 7,
  tries: 1,
  blocked_since: null,
  reason: null,
  waits: 0,
  unreadable: 0,
  ...of,
});
const state = (error: Error, tries: number, before: number): string =>
  turnSettlement(error, turn({ tries, unreadable: before }), limits).state;

describe('the next try of a turn', () => {
  it('after an answer that cannot be read depends on how many of those there were, not on other failures', () => {
    expect(state(unreadable, 9, 0)).toBe('queued');
    expect(state(unreadable, 9, 3)).toBe('queued');
    expect(state(unreadable, 9, 4)).toBe('dead');
    expect(state(unreadable, 5, 4)).toBe('dead');
    expect(turnSettlement(unreadable, turn({ unreadable: 2 }), limits)).toMatchObject({ unreadable: 3, waits: 0 });
  });

  it('ends at the limit of all tries, whatever the failures were', () => {
    expect(state(unreadable, 24, 0)).toBe('dead');
    expect(state(restarted, 23, 4)).toBe('queued');
    expect(state(restarted, 24, 0)).toBe('dead');
    expect(state(new PermanentFailure('agent_not_found', 'it is gone'), 1, 0)).toBe('dead');
  });

  it('waits for a model that is away without using up its tries, with pauses that grow, as long as it may', () => {
    const first = turnSettlement(away, turn(), limits);
    expect(first).toMatchObject({ claim: 7, state: 'queued', tries: 0, waits: 1, reason: 'model_unavailable' });
    expect(first.due_in_ms).toBeLessThanOrEqual(1_000);
    const later = turnSettlement(away, turn({ waits: 20, blocked_since: new Date(Date.now() - 60_000) }), limits);
    expect(later.due_in_ms).toBeGreaterThanOrEqual(15_000);
    const since = new Date(Date.now() - limits.TURN_WAIT_MS);
    expect(turnSettlement(away, turn({ waits: 99, blocked_since: since }), limits)).toMatchObject({ state: 'dead' });
  });

  it('is no longer waited for once it failed in another way, or waits for a slot', () => {
    const since = new Date(Date.now() - 60_000);
    expect(turnSettlement(restarted, turn({ blocked_since: since }), limits)).toMatchObject({ blocked_since: null });
    expect(postponed(turn({ tries: 3, blocked_since: since }), 'project_turns', 500, limits)).toMatchObject({
      state: 'queued',
      due_in_ms: 500,
      tries: 2,
      waits: 1,
      blocked_since: null,
      reason: 'project_turns',
    });
  });
});
