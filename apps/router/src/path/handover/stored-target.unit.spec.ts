import type { Target } from '../../entities/message.entity.js';
import { defaultFailureNotice, defaultLimitNotice } from '../../entities/rules.entity.js';
import { storedTarget, targetOf } from './turn-handover.service.js';

const reply = { app_id: 'app_1', channel_address: 'room', thread_id: null, reply_context: null };
const usual = { failure_notice: defaultFailureNotice, limit_words: defaultLimitNotice };
const target = (change: Partial<Target> = {}, input: Partial<Target['input']> = {}): Target => ({
  turn_id: 'trn_1',
  run: null,
  session: null,
  agent_id: null,
  input: { verified: true, instructions: null, reply, ...usual, ...input },
  ...change,
});
const run = { id: 'run_1', workflow_id: 7, trigger_id: null, replay: false, replay_of: null };
const session = { key: 'k', contact_id: null, inbox_mode: 'queue', reset_before: null } as const;

describe('a target in the row of its message', () => {
  it.each<[string, Target]>([
    ['a run', target({ run })],
    [
      'a run of a trigger, held, of an agent',
      target({ run: { ...run, trigger_id: 'trg_1', replay: true }, agent_id: 'a' }),
    ],
    ['a conversation', target({ session })],
    ['a held turn', target({ held: { until: 'workflow', at: '2026-01-01T00:00:00.000Z' } })],
    ['own words', target({}, { failure_notice: 'Oh.' })],
    ['no words of a limit', target({}, { limit_words: null })],
  ])('is read as it was handed over: %s', (_what, given) => {
    const stored = JSON.parse(JSON.stringify(storedTarget(given))) as ReturnType<typeof storedTarget>;
    expect(targetOf(stored)).toEqual(given);
  });

  it('is read where the release before stored all of it', () => {
    const given = target({ run });
    expect(targetOf(given)).toEqual(given);
  });

  it('without words is not given the usual ones', () => {
    const { failure_notice: _none, limit_words: _nor, ...input } = target().input;
    const given: Target = { ...target(), input };
    expect(targetOf(storedTarget(given))).toEqual(given);
  });

  it('has half of the size', () => {
    const [whole, stored] = [target({ run }), storedTarget(target({ run }))].map((each) => JSON.stringify(each).length);
    expect(stored).toBeLessThan((whole ?? 0) * 0.6);
  });
});
