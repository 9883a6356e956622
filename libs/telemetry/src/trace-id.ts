const long = /^evt_([0-9a-f]{32})$/;
const short = /^evt_([0-9a-f]{12})([0-9a-z]{5})([0-9a-z]{5})$/;
const ofShort = /^([0-9a-f]{12})0{7}([0-9a-f]{13})$/;

/**
 * An event's id says its trace's: the time, then the ten digits of base 36 as a hexadecimal number of 20 digits. That of
 * an id of the longer form is its digits.
 * @returns null when it is not an event's id
 */
export function traceIdOf(eventId: string): string | null {
  const [, time, first, last] = short.exec(eventId) ?? [];
  if (time === undefined || first === undefined || last === undefined) return long.exec(eventId)?.[1] ?? null;
  const number = Number.parseInt(first, 36) * 36 ** 5 + Number.parseInt(last, 36);
  // In halves, which is five times as fast: each is a small integer.
  return `${time}${hex(Math.floor(number / 2 ** 28), 13)}${hex(number % 2 ** 28, 7)}`;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** The event of a trace of ours. A longer id has another digit than 0 after its time: the 7 of a UUIDv7. */
export function eventIdOf(traceId: string): string {
  const [, time, number] = ofShort.exec(traceId) ?? [];
  if (time === undefined || number === undefined) return `evt_${traceId}`;
  return `evt_${time}${Number.parseInt(number, 16).toString(36).padStart(10, '0')}`;
}
