import { newId } from '#libs/contracts';
import { eventIdOf, traceIdOf } from './trace-id.js';

describe("a trace's id", () => {
  it.each([
    ['evt_01a225a0348c0000000001', '01a225a0348c00000000000000000001'],
    ['evt_01a225a0348c58lilawvnu', '01a225a0348c00000001e3e6a82d864a'],
    ['evt_01a225a0348czzzzzzzzzz', '01a225a0348c0000000cfd41b90fffff'],
    ['evt_01a204447304700092add81e1c6757cb', '01a204447304700092add81e1c6757cb'],
  ])('of %s is %s, which leads back', (eventId, traceId) => {
    expect(traceIdOf(eventId)).toBe(traceId);
    expect(eventIdOf(traceId)).toBe(eventId);
  });

  it('is one of W3C Trace Context for every new event, and another for each', () => {
    const events = Array.from({ length: 10_000 }, () => newId('evt'));
    const traces = events.map((id) => traceIdOf(id) ?? '');
    for (const trace of traces) expect(trace).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(traces.map(eventIdOf)).toEqual(events);
    expect(traces.toSorted()).toEqual(traces);
    // A root span's id may not be zeros either.
    for (const trace of traces) expect(trace.slice(16)).not.toBe('0'.repeat(16));
  });

  it.each(['', 'none', 'msg_01a225a0348c58lilawvnu', 'evt_01a225a0348c58lilawvnu000', 'evt_01a225a0348C58LILAWVNU'])(
    'is none of %j',
    (id) => expect(traceIdOf(id)).toBeNull(),
  );
});
