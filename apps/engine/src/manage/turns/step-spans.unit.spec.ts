import type { Step } from '../../entities/turn.entity.js';
import { stepViews } from './step-spans.js';

const at = (ms: number): Date => new Date(Date.parse('2026-01-01T00:00:00Z') + ms);
const step = (seq: number, kind: Step['kind'], storedMs: number, over: Partial<Step> = {}): Step => ({
  turn_id: 'trn_1',
  seq,
  kind,
  content: {},
  tokens: null,
  duration_ms: null,
  created_at: at(storedMs),
  ...over,
});

describe('the steps of a turn', () => {
  it('begin as long before they were stored as they took, calls of tools side by side', () => {
    const steps = stepViews([
      step(1, 'model_call', 1_000, { duration_ms: 900 }),
      step(2, 'tool_call', 1_000),
      step(3, 'tool_result', 1_500, { duration_ms: 400 }),
      step(4, 'tool_result', 1_500, { duration_ms: 300 }),
    ]);
    const begun = [at(100), null, at(1_100), at(1_200)].map((time) => time?.toISOString() ?? null);
    expect(steps.map(({ began_at }) => began_at)).toEqual(begun);
  });

  it('that are calls of the model stored together follow each other', () => {
    const steps = stepViews([
      step(1, 'model_call', 1_000, { duration_ms: 200 }),
      step(2, 'model_call', 1_000, { duration_ms: 300 }),
    ]);
    expect(steps.map(({ began_at }) => began_at)).toEqual([at(500), at(700)].map((time) => time.toISOString()));
  });

  it.each([
    ['tool_result', { result: { error: { code: 'blocked' } } }, true],
    ['tool_result', { result: { is_error: true } }, true],
    ['tool_result', { result: { status: 500 } }, false],
    ['model_call', { discarded: 'output_invalid' }, true],
    ['model_call', { text: 'done', cost_micros: 70 }, false],
  ] as const)('of the kind %s with %j have failed: %s', (kind, content, failed) => {
    const [shown] = stepViews([step(1, kind, 0, { content })]);
    expect(shown).toMatchObject({ failed, cost_micros: 'cost_micros' in content ? 70 : null });
  });
});
