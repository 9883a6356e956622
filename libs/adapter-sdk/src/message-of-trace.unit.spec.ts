import { messageOfTrace } from './message-of-trace.js';

// As libs/telemetry has it.
it.each([
  ['evt_01a225a0348c0000000001', '01a225a0348c00000000000000000001'],
  ['evt_01a225a0348c58lilawvnu', '01a225a0348c00000001e3e6a82d864a'],
  ['evt_01a204447304700092add81e1c6757cb', '01a204447304700092add81e1c6757cb'],
])('a call about %s has the trace %s, which names that event', (event_id, trace_id) => {
  expect(messageOfTrace(`00-${trace_id}-00f067aa0ba902b7-01`)).toEqual({ event_id, trace_id });
});

it.each([undefined, '', 'nonsense'])('%j is the trace of no event', (header) => {
  expect(messageOfTrace(header)).toBeUndefined();
});
