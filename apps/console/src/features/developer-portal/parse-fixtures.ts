/** @returns null for what is no JSON object; an empty one for nothing */
export function parseFixtures(typed: string): Record<string, unknown> | null {
  if (typed.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(typed);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
