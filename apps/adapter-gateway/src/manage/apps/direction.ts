import type { Capability } from '#libs/adapter-sdk';

export type Direction = 'inbound' | 'outbound' | 'bidirectional';

/** Which way messages pass; null for an App that only anchors OAuth or document sources. */
export function directionOf(capabilities: readonly Capability[]): Direction | null {
  const [receives, sends] = [capabilities.includes('receive'), capabilities.includes('send')];
  if (receives && sends) return 'bidirectional';
  return receives ? 'inbound' : sends ? 'outbound' : null;
}

/** The App's name carries its direction (spec 1, rule 5). */
export function namedForDirection(name: string, capabilities: readonly Capability[]): string {
  const bare = name.replace(/ \((inbound|outbound|bidirectional)\)$/, '');
  const direction = directionOf(capabilities);
  return direction ? `${bare} (${direction})` : bare;
}
