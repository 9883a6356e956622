import type { TimelineEntry } from '#libs/journal';
import type { EventTurnLink } from '../../path/handover/engine-runs.js';
import { replaysOf } from './event-replays.js';

const at = new Date('2026-01-01T00:00:00Z');
const replayed = (turnIds: string[], reason = 'without_delivery'): TimelineEntry => ({
  at,
  service: 'router',
  stage: 'routed',
  outcome: 'replayed',
  terminal: false,
  reason,
  subject_id: 'msg_1',
  attempt: 1,
  duration_ms: null,
  detail: { by: 'user:mem_1', turn_ids: turnIds },
});
const turn = (id: string, over: Partial<EventTurnLink> = {}): EventTurnLink => ({
  id,
  state: 'succeeded',
  message_id: 'msg_1',
  run_id: null,
  session_id: null,
  collected_into: null,
  ...over,
});
type Run = Parameters<typeof replaysOf>[1]['runs'][number];
const run = (id: string, workflow_id: number, replay_of: string | null = null): Run => ({
  id,
  workflow_id,
  replay_of,
});
const pairs = (entries: TimelineEntry[], turns: EventTurnLink[], runs: Run[] = []) =>
  replaysOf(entries, { turns, runs }).map(({ turn_id, original_turn_id: original }) => [turn_id, original]);

describe('the replays of an event', () => {
  it('stand beside the turn of the conversation, also the second one', () => {
    const turns = [turn('trn_1'), turn('trn_2'), turn('trn_3')];
    const entries = [replayed(['trn_2']), replayed(['trn_3'], 'with_delivery')];
    expect(pairs(entries, turns)).toEqual([
      ['trn_2', 'trn_1'],
      ['trn_3', 'trn_1'],
    ]);
    expect(replaysOf(entries, { turns, runs: [] }).map(({ by, deliver }) => [by, deliver])).toEqual([
      ['user:mem_1', false],
      ['user:mem_1', true],
    ]);
  });

  it('stand beside the run of the same workflow, or the one that they repeat', () => {
    const turns = [
      turn('trn_1', { run_id: 'run_1' }),
      turn('trn_2', { run_id: 'run_2' }),
      turn('trn_3', { run_id: 'run_3' }),
      turn('trn_4', { run_id: 'run_4' }),
    ];
    const runs = [run('run_1', 1), run('run_2', 2), run('run_3', 2), run('run_4', 2, 'run_1')];
    expect(pairs([replayed(['trn_3']), replayed(['trn_4'])], turns, runs)).toEqual([
      ['trn_3', 'trn_2'],
      ['trn_4', 'trn_1'],
    ]);
  });

  it('of a message stand beside no turn of another message', () => {
    const turns = [turn('trn_1', { message_id: 'msg_0' }), turn('trn_2')];
    expect(pairs([replayed(['trn_2'])], turns)).toEqual([['trn_2', null]]);
  });

  it('are not what was released, which has no original', () => {
    expect(pairs([replayed(['trn_1'], 'released')], [turn('trn_1')])).toEqual([]);
  });
});
