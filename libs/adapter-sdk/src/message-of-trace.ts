/**
 * The message that a call is about. The trace's id says the event's: after 12 digits of time, a number that is ten digits
 * of base 36 in the event's id. An id of 32 digits is the trace's own.
 */
export function messageOfTrace(traceparent: string | undefined): { event_id: string; trace_id: string } | undefined {
  const trace_id = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];
  if (trace_id === undefined) return undefined;
  const [, time, number] = /^(.{12})0{7}(.{13})$/.exec(trace_id) ?? [];
  const digits = number === undefined ? trace_id : time + Number.parseInt(number, 16).toString(36).padStart(10, '0');
  return { event_id: `evt_${digits}`, trace_id };
}
