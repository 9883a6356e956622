import type { ToolCall } from '../model/model.js';
import { CallGuard } from './call-guard.js';

const get = (url: string): ToolCall => ({ id: 'c', name: 'http_request', arguments: { method: 'GET', url } });

describe('the call guard', () => {
  it('counts calls of one step that have no result yet', () => {
    const guard = new CallGuard(20, 3);
    const refused = [1, 2, 3, 4].map(() => guard.refuse(get('/a'), true)?.error.code ?? null);
    expect(refused).toEqual([null, null, null, 'repeated_call']);
    expect(guard.refuse(get('/b'), true)).toBeNull();
  });

  it('counts reads of the same from the start once what is read has changed', () => {
    const guard = new CallGuard(20, 2);
    for (const hash of ['x', 'y', 'x', 'x']) {
      expect(guard.refuse(get('/a'), true)).toBeNull();
      guard.ended(get('/a'), hash);
    }
    expect(guard.refuse(get('/a'), true)?.error.code).toBe('repeated_call');
    expect(guard.exhausted).toBe(false);
  });

  it('treats a call that could not be made as not made, up to a limit', () => {
    const guard = new CallGuard(20, 2);
    const post = { ...get('/a'), arguments: { method: 'POST' } };
    expect([guard.mistaken(post), guard.mistaken(post), guard.refuse(post, false)]).toEqual([null, null, null]);
    expect(guard.exhausted).toBe(false);
    expect(guard.mistaken(post)).toBeNull();
    expect(guard.exhausted).toBe(true);
  });

  it('is exhausted after a crash by the same calls as before it', () => {
    const before = new CallGuard(20, 2);
    const after = new CallGuard(20, 2);
    const call = get('/a');
    for (let at = 0; at < 4; at += 1) {
      const refusal = before.refuse(call, true);
      if (!refusal) before.ended(call, 'same');
      after.replayed(call, refusal ?? { status: 200 }, refusal ? null : 'same');
      expect(after.exhausted).toBe(before.exhausted);
    }
    expect(after.exhausted).toBe(true);
  });

  it('ends the calls of a turn at their limit, however they differ', () => {
    const guard = new CallGuard(2, 3);
    expect([1, 2, 3].map((n) => guard.refuse(get(`/${n}`), true)?.error.code)).toEqual([
      undefined,
      undefined,
      'tool_call_limit',
    ]);
    expect(guard.exhausted).toBe(true);
  });
});
