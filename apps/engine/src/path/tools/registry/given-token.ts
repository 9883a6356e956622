import type { GivenToken } from '../../../entities/turn.entity.js';
import { digestOf } from '../bound-credentials.js';
import type { SentRequest } from '../builtin/http-request.tool.js';
import { isFailure, type ToolFailure } from '../tool.js';

/**
 * The request of a Python tool with another access token in place of one that was refused: in a header, alone or after
 * a scheme, or in the query. Null: it has none, or there is no other.
 */
export async function withOtherToken(
  { url, headers }: SentRequest,
  tokens: readonly GivenToken[],
  otherThan: (token: GivenToken) => Promise<string | ToolFailure | null>,
): Promise<SentRequest | ToolFailure | null> {
  const carried = [...url.searchParams.values(), ...Object.values(headers)].flatMap((value) => [
    value,
    value.slice(value.indexOf(' ') + 1),
  ]);
  for (const token of tokens) {
    const refused = carried.find((value) => value !== '' && digestOf(value) === token.sha256);
    if (refused === undefined) continue;
    const other = await otherThan(token);
    if (other === null || isFailure(other)) return other;
    const to = new URL(url);
    for (const [name, value] of url.searchParams) if (value === refused) to.searchParams.set(name, other);
    const changed = Object.entries(headers).map(([name, value]) => [name, value.replaceAll(refused, other)] as const);
    return { url: to, headers: Object.fromEntries(changed) };
  }
  return null;
}
