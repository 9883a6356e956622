import { usageError } from '../api/cli-error.js';
import type { Call, Option } from '../call/command.js';

export const paging: Record<string, Option> = {
  limit: { value: 'N', help: 'At most this many (20)' },
  cursor: { value: 'CURSOR', help: 'Continues after an earlier page' },
};

/** Maps a command's options to the API's filter. @param fields option → field of the API */
export function filter(call: Call, fields: Record<string, string>): Record<string, string> {
  const entries = Object.entries(fields).map(([option, field]) => [field, call.value(option)] as const);
  const times = (['since', 'until'] as const).map((name) => [name, timeOf(name, call.value(name))] as const);
  return Object.fromEntries(
    [...entries, ...times].filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Like `filter`, for one page. */
export function query(call: Call, fields: Record<string, string>): Record<string, string | undefined> {
  return { ...filter(call, fields), limit: call.value('limit') ?? '20', cursor: call.value('cursor') };
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** RFC 3339 is used as it is; `2h` means two hours ago. */
function timeOf(option: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(value) ?? [];
  if (count && unit) return new Date(Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs]).toISOString();
  if (Number.isNaN(Date.parse(value))) {
    throw usageError(`${value} is not a time: use a form like 2026-01-31T12:00:00Z, 30m, 2h or 7d.`, `--${option}`);
  }
  return new Date(value).toISOString();
}
