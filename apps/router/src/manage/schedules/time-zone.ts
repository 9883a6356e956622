const formats = new Map<string, Intl.DateTimeFormat>();
const mostKept = 500;

/** @throws RangeError for a zone that is unknown */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size >= mostKept) formats.clear();
  formats.set(zone, format);
  return format;
}

/** What the clocks of a zone show at a moment, as ms since the epoch of a clock that shows UTC. */
export function localTime(zone: string, ms: number): number {
  const parts = formatOf(zone).formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/** How far the clocks of a zone are ahead of UTC at a moment. */
export function offsetMs(zone: string, ms: number): number {
  return localTime(zone, ms) - Math.floor(ms / 1_000) * 1_000;
}

/** When the clocks of a zone change between two moments at which they are differently ahead: the first ms of the new time. */
export function transitionMs(zone: string, fromMs: number, toMs: number): number {
  const before = offsetMs(zone, fromMs);
  let [low, high] = [Math.floor(fromMs / 1_000), Math.ceil(toMs / 1_000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(zone, middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}
